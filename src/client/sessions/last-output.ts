/** The last line of a session's output that is not blank. */
import type { Session } from "../../protocol/types/session.ts";
import { lastLine } from "../../terminal/text/one-line.ts";
import type { LocalSessions } from "./local-sessions.ts";

const LAST_OUTPUT_BYTES = 4096;

/** Empty if the output cannot be read. */
export function lastOutput(sessions: LocalSessions, session: Session): string {
  if (session.output_bytes === 0) return ""; // saves opening its files
  try {
    using reader = sessions.reader(session.session_id);
    const cursor = Math.max(0, reader.end() - LAST_OUTPUT_BYTES);
    const { chunks } = reader.read({ cursor, maxBytes: LAST_OUTPUT_BYTES });
    return lastLine(Buffer.concat(chunks.map(({ bytes }) => bytes)));
  } catch {
    return "";
  }
}
