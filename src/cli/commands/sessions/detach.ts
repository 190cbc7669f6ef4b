/** `holt detach`. */
import { callHolder } from "../../../client/holder/holder-call.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal } from "../../../protocol/types/session.ts";
import { command } from "../../declarations/command.ts";
import { DETACH } from "../../declarations/sessions/detach.ts";

export const main = command(DETACH, async ({ options, positionals: [reference = ""] }) => {
  const session = new LocalSessions().resolve(reference);
  if (isFinal(session.state)) return 0; // an ended session has no clients
  const isAll = options.client.length === 0;
  const ids = isAll
    ? (await callHolder(session, "clients", {})).clients.map(({ client_id }) => client_id)
    : options.client;
  for (const client_id of ids) {
    try {
      await callHolder(session, "detach", { client_id });
    } catch (error) {
      const isGone = error instanceof HoltError && error.code === "ENOTFOUND";
      if (!isAll || !isGone) throw error; // the client detached by itself meanwhile
    }
  }
  return 0;
});
