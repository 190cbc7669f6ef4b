/** Sends input to a session, in order, and waits while the command does not read it. */
import { HoltError } from "../../protocol/types/errors.ts";
import { SESSION_ENDED, type InputResult, INPUT_NOT_READ } from "../../protocol/wire/holder-methods.ts";
import { requireInputFits } from "../../protocol/wire/input-limit.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { callHolder, mayHaveRun } from "../holder/holder-call.ts";
import type { LocalSessions } from "./local-sessions.ts";
import { sendSecret } from "./send-secret.ts";

/** The interval between attempts while the command does not read. */
const RETRY_MS = 50;

/** Raw bytes, keys by name, a paste, or a secret. */
export type InputPart =
  | { input: Uint8Array }
  | { keys: readonly string[] }
  | { paste: Uint8Array }
  | { secret: Uint8Array };

export interface SendInputRequest {
  parts: Iterable<InputPart>;
  /** "open": more input may follow. "closed": the end of the input. */
  after: "open" | "closed";
  /** Takes the right to type from another client. */
  takeover: boolean;
}

export interface SendInputResult {
  bytes_written: number;
  /** The session's output cursor when the first byte was typed. */
  next_cursor: number;
}

/** ESESSIONCLOSED with `bytes_written` if the session ends before it has all bytes. */
export async function sendInput(
  sessions: LocalSessions,
  id: string,
  { parts, after, takeover }: SendInputRequest,
): Promise<SendInputResult> {
  const session = sessions.get(id);
  const before = writtenCursor(sessions, id);
  let written = 0;
  let from: number | null = null;
  try {
    for (const part of parts) {
      const { bytes_written, cursor = before } = await sendPart(session, part, takeover);
      written += bytes_written;
      from ??= cursor;
    }
    if (after === "closed") await endInput(sessions, session, takeover);
    return { bytes_written: written, next_cursor: from ?? before };
  } catch (error) {
    throw hasEndedMeanwhile(sessions, session, error) ? ended(id, written) : withMayArriveHint(error);
  }
}

/** A command that ended after reading everything needs no end of input. */
async function endInput(sessions: LocalSessions, session: Session, takeover: boolean): Promise<void> {
  try {
    await callHolder(session, "end_input", { takeover });
  } catch (error) {
    if (!hasEndedMeanwhile(sessions, session, error)) throw error;
  }
}

/** The output cursor on disk. A holder's answer is exact; an old holder's has none. */
export function writtenCursor(sessions: LocalSessions, id: string): number {
  using reader = sessions.reader(id);
  return reader.written();
}

async function sendPart(session: Session, part: InputPart, takeover: boolean): Promise<InputResult> {
  for (;;) {
    try {
      if ("secret" in part) return await sendSecret(session, part.secret, takeover);
      if ("keys" in part) return await callHolder(session, "keys", { keys: part.keys, takeover });
      if ("paste" in part)
        return await callHolder(session, "paste", { data: requireInputFits(part.paste).toBase64(), takeover });
      return await callHolder(session, "input", { data: requireInputFits(part.input).toBase64(), takeover });
    } catch (error) {
      if (!(error instanceof HoltError && error.code === "EBUSY" && error.message.startsWith(INPUT_NOT_READ)))
        throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}

/** Warns against sending again, which would type the input twice. */
export function withMayArriveHint(error: unknown): unknown {
  if (!mayHaveRun(error)) return error;
  const { code, message, hint, details } = error;
  return new HoltError(code, `${message}; the input may have been typed, or may be later`, {
    hint: `do not just send it again; ${hint}`,
    details,
    cause: error,
  });
}

/**
 * A holder closes the connection after its last record is written. One that is just ending answers
 * SESSION_ENDED.
 */
function hasEndedMeanwhile(sessions: LocalSessions, before: Session, error: unknown): boolean {
  if (!(error instanceof HoltError) || isFinal(before.state)) return false;
  if (error.code === "EIO") return isFinal(sessions.get(before.session_id).state);
  return error.code === "ESESSIONCLOSED" && error.message === SESSION_ENDED;
}

function ended(id: string, written: number): HoltError {
  return new HoltError("ESESSIONCLOSED", `session ${id} has ended: it was sent ${written} bytes before that`, {
    details: { session_id: id, bytes_written: written },
    hint: "the command may not have read all of them",
  });
}
