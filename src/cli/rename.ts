/** `holt rename`. */
import { callHolder } from "../client/holder-call.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { requireName } from "../protocol/session-name.ts";
import { command } from "./command.ts";
import { RENAME } from "./declarations/rename.ts";

export const main = command(RENAME, async ({ positionals: [reference = "", text = ""] }) => {
  const name = text === "" ? null : requireName(text);
  await callHolder(new LocalSessions().resolve(reference), "rename", { name });
  return 0;
});
