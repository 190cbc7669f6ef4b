/** `holt resize`. */
import { callHolder } from "../client/holder-call.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { command } from "./command.ts";
import { RESIZE } from "./declarations/resize.ts";
import { parseSize } from "./size.ts";

export const main = command(RESIZE, async ({ positionals: [reference = "", text = ""] }) => {
  const size = parseSize(text);
  await callHolder(new LocalSessions().resolve(reference), "resize", size);
  return 0;
});
