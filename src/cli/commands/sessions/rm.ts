/** `holt rm`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isFinal, type Session } from "../../../protocol/types/session.ts";
import { command } from "../../declarations/command.ts";
import { RM } from "../../declarations/sessions/rm.ts";
import { awaitsRestart, label } from "../../output/describe-session.ts";
import { writeJson } from "../../output/output.ts";
import { reportError } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";

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
      awaitsRestart(session)
        ? `${label(session)} is about to be restarted`
        : `${label(session)} is still ${isFinal(session.state) ? "being written" : session.state}`,
      {
        hint: awaitsRestart(session)
          ? `cancel the restart with \`holt stop ${session.session_id}\`, then run rm again`
          : `end it with \`holt stop ${session.session_id}\`, then run rm again`,
        details: { session_id: session.session_id },
        cause: error,
      },
    );
  }
}
