/** `holt wait`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { command } from "../../declarations/command.ts";
import { WAIT } from "../../declarations/output/wait.ts";
import { conditionFrom, timeoutFrom, waitAndReport } from "./waiting.ts";

export const main = command(WAIT, async ({ options, positionals: [reference = ""] }) => {
  const until = options.until.length === 0 ? [{ kind: "exit" } as const] : options.until.map(conditionFrom);
  const timeoutMs = timeoutFrom(options.timeout);
  const sessions = new LocalSessions();
  const { session_id: id } = sessions.resolve(reference);
  return waitAndReport({
    sessions,
    id,
    cursor: options.since ?? endOf(sessions, id),
    until,
    timeoutMs,
    json: options.json ? {} : null,
    exitsAlike: options["exit-code"],
  });
});

function endOf(sessions: LocalSessions, id: string): number {
  using reader = sessions.reader(id);
  return reader.end();
}
