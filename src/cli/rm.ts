/** `holt rm`. */
import { LocalSessions } from "../client/local-sessions.ts";
import { HoltError } from "../protocol/errors.ts";
import { isFinal, type Session } from "../protocol/session.ts";
import { command } from "./command.ts";
import { RM } from "./declarations/rm.ts";
import { isWaiting, label } from "./describe-session.ts";
import { writeJson } from "./output.ts";
import { reportError } from "./report-error.ts";
import { stdoutStyle } from "./style.ts";

export const main = command(RM, ({ options, positionals }) => {
  const sessions = new LocalSessions();
  const removed = new Set<string>();
  let exit = 0;
  for (const reference of positionals) {
    if (removed.has(reference)) continue;
    try {
      const session = sessions.resolve(reference);
      remove(sessions, session);
      removed.add(session.session_id);
    } catch (error) {
      exit = Math.max(exit, reportError(error, options));
    }
  }
  if (options.json) writeJson({ removed: [...removed] }, stdoutStyle());
  return exit;
});

function remove(sessions: LocalSessions, session: Session): void {
  try {
    sessions.remove(session.session_id);
  } catch (error) {
    if (!(error instanceof HoltError) || error.code !== "EBUSY") throw error;
    throw new HoltError(
      "EBUSY",
      isWaiting(session)
        ? `${label(session)} waits to be started again`
        : `${label(session)} is still ${isFinal(session.state) ? "being written" : session.state}`,
      {
        hint: isWaiting(session)
          ? `\`holt stop ${session.session_id}\` ends that, for good; then rm again`
          : `end it first: \`holt stop ${session.session_id}\`; then rm again`,
        details: { session_id: session.session_id },
        cause: error,
      },
    );
  }
}
