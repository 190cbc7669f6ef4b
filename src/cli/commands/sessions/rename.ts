/** `holt rename`. */
import { callHolder } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { requireName } from "../../../protocol/types/session-name.ts";
import { command } from "../../declarations/command.ts";
import { RENAME } from "../../declarations/sessions/rename.ts";

export const main = command(RENAME, async ({ positionals: [reference = "", newName = ""] }) => {
  const name = newName === "" ? null : requireName(newName); // an empty name removes it
  await callHolder(new LocalSessions().resolve(reference), "rename", { name });
  return 0;
});
