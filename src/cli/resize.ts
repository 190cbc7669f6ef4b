/** `holt resize`. */
import { callHolder } from "../client/holder-call.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { HoltError } from "../protocol/errors.ts";
import { command } from "./command.ts";
import { RESIZE } from "./declarations/resize.ts";
import { label } from "./describe-session.ts";
import { parseSize } from "./size.ts";

export const main = command(RESIZE, async ({ positionals: [reference = "", text = ""] }) => {
  const size = parseSize(text);
  const session = new LocalSessions().resolve(reference);
  if (session.size === null)
    throw new HoltError("EDENIED", `${label(session)} has no terminal, so it has no size: it runs on pipes`, {
      hint: "`holt start` without --no-pty gives a command a terminal",
    });
  await callHolder(session, "resize", size);
  return 0;
});
