/** Why `holt logs` printed nothing, where that may be a slip: a cursor past the end, or a channel without output. */
import { isFinal, type Session } from "../protocol/session.ts";
import { nameOf } from "./describe-session.ts";

export interface Asked {
  cursor: number;
  channel: string | null;
}

/** Null when there is nothing to wonder about. `end` is the cursor up to which the session has come. */
export function silenceText(session: Session, end: number, { cursor, channel }: Asked): string | null {
  const name = `session ${nameOf(session) || session.session_id}`;
  const yet = isFinal(session.state) ? "" : " yet";
  if (cursor > end) return `${name} ${isFinal(session.state) ? "ends at" : "has only come to"} cursor ${end}`;
  if (channel === null) return null;
  return `${name} has no output on channel ${channel}${cursor === 0 ? "" : ` from cursor ${cursor} on`}${yet}`;
}
