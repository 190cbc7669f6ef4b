/**
 * Replays an ended session to a client as its holder would: the last screen, the last bytes, or the
 * bytes from the client's cursor on.
 */
import { follow } from "../../client/read/follow.ts";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { type RawReplay, rawReplay } from "../../client/attach/raw-replay.ts";
import { replayOf } from "../../client/read/screen.ts";
import { ATTACH_FRAME, encodeOutputPayload, type ReplayKind } from "../../protocol/wire/attach.ts";
import type { Frame } from "../../protocol/wire/frames.ts";
import type { Session } from "../../protocol/types/session.ts";
import { ViewerFilter } from "../../terminal/filter/viewer-filter.ts";
import { replayFrames } from "./attach-frames.ts";

const SCROLLBACK = 1000;

export interface EndedSession {
  sessions: LocalSessions;
  session: Session;
  replay: ReplayKind;
  /** Bytes at the end of the output that `replay=raw` sends. */
  scrollbackBytes: number;
  /** Null: start with what `replay` selects. */
  cursor: string | null;
  /**
   * Called while the screen is rendered, which may take long for a session that was never viewed.
   */
  progress: (done: number, total: number) => void;
  signal: AbortSignal;
}

export async function* endedSession(ended: EndedSession): AsyncGenerator<Frame> {
  const { sessions, session, cursor, progress, signal } = ended;
  const screen = await replayOf({ sessions, session, at: null, progress, signal }, SCROLLBACK);
  const { replay, cursor: end, ...head } = screen;
  if (cursor === null) {
    const visible = initialReplay(ended, { replay, cursor: end });
    yield* replayFrames({ client_id: "", ...head, cursor: String(visible.cursor) }, visible.replay);
    return;
  }
  const from = Math.min(Number(cursor), end);
  yield* replayFrames({ client_id: "", ...head, cursor: String(from) }, new Uint8Array(0));
  const filter = new ViewerFilter({ clipboard: false });
  const all = follow({ id: session.session_id, cursor: from, signal, layout: sessions.layout });
  for await (const item of all) {
    if (item.type !== "data") continue;
    const visible = item.channel === "pty" ? filter.push(item.bytes) : item.bytes;
    const next = item.cursor + item.bytes.length - filter.heldBytes;
    if (visible.length > 0) yield { type: ATTACH_FRAME.output, payload: encodeOutputPayload(next, visible) };
  }
}

function initialReplay({ sessions, session, replay, scrollbackBytes }: EndedSession, screen: RawReplay): RawReplay {
  if (replay === "screen") return screen;
  return rawReplay(sessions, session.session_id, replay === "raw" ? scrollbackBytes : 0);
}
