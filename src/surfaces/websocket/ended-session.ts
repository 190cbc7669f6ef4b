/** What is shown of a session that has ended, as its holder would have: its last screen, or from a cursor on what a client has not seen of it. */
import { follow } from "../../client/follow.ts";
import type { LocalSessions } from "../../client/local-sessions.ts";
import { replayOf } from "../../client/screen.ts";
import { ATTACH_FRAME, encodeOutputPayload } from "../../protocol/attach.ts";
import { bytesOf } from "../../protocol/bytes.ts";
import type { Frame } from "../../protocol/frames.ts";
import type { Session } from "../../protocol/session.ts";
import { ViewerFilter } from "../../terminal/viewer-filter.ts";

const SCROLLBACK = 1000;

export interface EndedSession {
  sessions: LocalSessions;
  session: Session;
  /** Null: the last screen. */
  cursor: string | null;
  /** While it is rendered, where nobody has looked at it yet. */
  progress: (done: number, total: number) => void;
  signal: AbortSignal;
}

export async function* endedSession(ended: EndedSession): AsyncGenerator<Frame> {
  const { sessions, session, cursor, progress, signal } = ended;
  const screen = await replayOf({ sessions, session, at: null, progress, signal }, SCROLLBACK);
  const { replay, cursor: end, ...rest } = screen;
  const isShown = cursor === null;
  const from = Math.min(Number(cursor ?? end), end);
  const head = { client_id: "", ...rest, cursor: String(from), bytes: isShown ? replay.length : 0 };
  yield { type: ATTACH_FRAME.replay, payload: bytesOf(JSON.stringify(head)) };
  if (isShown && replay.length > 0) yield { type: ATTACH_FRAME.replayData, payload: replay };
  if (isShown) return;
  const filter = new ViewerFilter({ clipboard: false });
  const all = follow({ id: session.session_id, cursor: from, signal, layout: sessions.layout });
  for await (const item of all) {
    if (item.type !== "data") continue;
    const shown = item.channel === "pty" ? filter.push(item.bytes) : item.bytes;
    const next = item.cursor + item.bytes.length - filter.heldBytes;
    if (shown.length > 0) yield { type: ATTACH_FRAME.output, payload: encodeOutputPayload(next, shown) };
  }
}
