/** `holt stop` and `holt kill`: ask, and wait until they have ended. */
import { endSession, type Ending } from "../client/end-session.ts";
import { LocalSessions } from "../client/local-sessions.ts";
import { HoltError } from "../protocol/errors.ts";
import { writeJson } from "./output.ts";
import { reportError } from "./report-error.ts";
import { stdoutStyle } from "./style.ts";

interface Options {
  verb: "stopped" | "killed";
  json: boolean;
  end: Ending;
}

export async function endSessions(references: readonly string[], { verb, json, end }: Options): Promise<number> {
  const sessions = new LocalSessions();
  const done = new Set<string>();
  const before = new Set<string>();
  let exit = 0;
  for (const reference of references) {
    try {
      const { session_id } = sessions.resolve(reference);
      const isNews = !done.has(session_id) && (await endSession(sessions, session_id, end));
      if (isNews) done.add(session_id);
      else if (!done.has(session_id)) before.add(session_id);
      requireNothingLeft(sessions, session_id);
    } catch (error) {
      exit = Math.max(exit, reportError(error, { json }));
    }
  }
  if (json) writeJson({ [verb]: [...done], already_ended: [...before] }, stdoutStyle());
  return exit;
}

function requireNothingLeft(sessions: LocalSessions, id: string): void {
  const survivors = sessions.exists(id) ? sessions.get(id).survivors : [];
  if (survivors.length === 0) return;
  throw new HoltError("EIO", `session ${id} has ended, but processes of it still run: pid ${survivors.join(", ")}`, {
    hint: "they belong to another user (sudo) or hang in the kernel; end them as that user",
  });
}
