/** `holt detach`. */
import { callHolder } from "../client/holder-call.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { HoltError } from "../protocol/errors.ts";
import { isFinal } from "../protocol/session.ts";
import { command } from "./command.ts";
import { DETACH } from "./declarations/detach.ts";

export const main = command(DETACH, async ({ options, positionals: [reference = ""] }) => {
  const session = new LocalSessions().resolve(reference);
  if (isFinal(session.state)) return 0; // nobody is attached to what has ended
  const isAll = options.client.length === 0;
  const ids = isAll
    ? (await callHolder(session, "clients", {})).clients.map(({ client_id }) => client_id)
    : options.client;
  for (const client_id of ids) {
    try {
      await callHolder(session, "detach", { client_id });
    } catch (error) {
      const isGone = error instanceof HoltError && error.code === "ENOTFOUND";
      if (!isAll || !isGone) throw error; // gone by itself meanwhile
    }
  }
  return 0;
});
