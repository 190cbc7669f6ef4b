/** The screen of a session: from its holder, which may have it rendered, else from the files. */
import { HoltError } from "../../protocol/types/errors.ts";
import { type Modes, sharedModes } from "../../protocol/types/modes.ts";
import type { ScreenFormat } from "../../protocol/types/screen-format.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { requireTerminal, screenAt } from "../../rendering/screen-at.ts";
import type { Screen } from "../../terminal/screen/screen.ts";
import { AttachConnection } from "../attach/attach-connection.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";
import { viewerRequest } from "./viewer-request.ts";

export interface ScreenRequest {
  sessions: LocalSessions;
  session: Session;
  /** Null for now. */
  at: number | null;
  progress: (done: number, total: number) => void;
  /** Cancels the request. */
  signal: AbortSignal;
}

export interface ScreenOfSession {
  /** The screen includes all output before it. */
  cursor: number;
  screen: Screen;
}

export interface ReplayOfSession {
  cursor: number;
  cols: number;
  rows: number;
  replay: Uint8Array;
  modes: Modes;
  title: string;
}

export async function screenOf(request: ScreenRequest): Promise<ScreenOfSession> {
  const { session, at } = request;
  requireTerminal(session);
  if (at === null && !isFinal(session.state)) {
    const live = await screenFromHolder(request);
    if (live !== null) return live;
  }
  const { progress, signal } = request;
  if (signal.aborted) throw new HoltError("ECANCELED", "the request for the screen was canceled");
  const { layout } = request.sessions;
  using renderer = await screenAt({ layout, id: session.session_id, cursor: at, progress, signal });
  return { cursor: renderer.cursor, screen: renderer.emulator.screen() };
}

/**
 * Bytes that rebuild the screen in a new terminal of its size, with that many lines of scrollback.
 * Rendered from the files only: for an ended session, or at a cursor.
 */
export async function replayOf(request: ScreenRequest, scrollback: number): Promise<ReplayOfSession> {
  const { session, at, progress, signal, sessions } = request;
  requireTerminal(session);
  using renderer = await screenAt({ layout: sessions.layout, id: session.session_id, cursor: at, progress, signal });
  const { modes, title } = renderer.emulator.screen();
  const keyframe = renderer.replay(scrollback);
  const { ViewerFilter } = await import("../../terminal/filter/viewer-filter.ts");
  const replay = new ViewerFilter({ clipboard: false }).push(keyframe.replay);
  return { ...keyframe, replay, modes: sharedModes(modes), title };
}

export async function formattedScreen(
  request: ScreenRequest,
  format: ScreenFormat,
): Promise<ScreenOfSession & { content: string }> {
  const shown = await screenOf(request);
  const { formatScreen } = await import("../../terminal/screen/screen-formats.ts");
  return { ...shown, content: formatScreen(shown.screen, format) };
}

/** Null if the holder does not answer: it may be ending or stopped. */
async function screenFromHolder({ session, progress, signal }: ScreenRequest): Promise<ScreenOfSession | null> {
  const look = viewerRequest("screen", { once: true });
  try {
    using connection = await AttachConnection.open(session, look, signal);
    for (let item = await connection.next(); item !== null; item = await connection.next()) {
      if (item.type === "progress") progress(item.done, item.total);
      if (item.type !== "replay") continue;
      const { Emulator } = await import("../../terminal/emulator/emulator.ts");
      using emulator = new Emulator({ cols: item.head.cols, rows: item.head.rows, scrollback: 0 });
      emulator.write(item.bytes);
      return { cursor: Number(item.head.cursor), screen: emulator.screen() };
    }
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
  }
  return null;
}
