/** `holt resize`. */
import { callHolder } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { command } from "../../declarations/command.ts";
import { RESIZE } from "../../declarations/sessions/resize.ts";
import { label } from "../../output/describe-session.ts";
import { parseSize } from "../../options/size.ts";

export const main = command(RESIZE, async ({ positionals: [reference = "", text = ""] }) => {
  const size = parseSize(text);
  const session = new LocalSessions().resolve(reference);
  if (session.size === null)
    throw new HoltError("EDENIED", `cannot resize a session on pipes: ${label(session)}`, {
      hint: "`holt start` without --no-pty runs a command on a terminal",
    });
  await callHolder(session, "resize", size);
  return 0;
});
