/**
 * Renders the screen of a session at a cursor from its files: the last keyframe before it, and the
 * output since.
 */
import { HoltError } from "../protocol/types/errors.ts";
import { isFinal, type Session } from "../protocol/types/session.ts";
import { readEvents } from "../transcript/read/read-events.ts";
import { keyframeBefore } from "../transcript/write/keyframes.ts";
import type { Layout } from "../transcript/layout.ts";
import { TranscriptReader } from "../transcript/read/reader.ts";
import { SessionDir } from "../transcript/session-dir.ts";
import { KeyframeKeeper } from "./keyframe-keeper.ts";
import { LONG_BYTES, Renderer } from "./renderer.ts";
import { resizesIn } from "./export-pieces.ts";
import { transcriptSource } from "./transcript-source.ts";

export interface ScreenAtOptions {
  layout: Layout;
  id: string;
  /** Null: the end of the output. */
  cursor: number | null;
  /** Called at once when there is much to render, then after each time slice. */
  progress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

const SLICE_MS = 50;

/** The caller disposes of the renderer. */
export async function screenAt({ layout, id, cursor, progress, signal }: ScreenAtOptions): Promise<Renderer> {
  using dir = SessionDir.open(layout, id);
  using reader = TranscriptReader.open(layout, id);
  const session = reader.session();
  const { cols, rows } = requireTerminal(session);
  const end = Math.min(cursor ?? Number.POSITIVE_INFINITY, session.output_bytes);
  const { Emulator } = await import("../terminal/emulator/emulator.ts");
  const renderer = new Renderer({
    source: transcriptSource(reader),
    emulator: new Emulator({ cols, rows }),
    resizes: resizesIn(readEvents(dir)).filter((resize) => resize.cursor <= end),
    keyframe: keyframeBefore(dir, end),
  });
  // The holder of a running session writes its keyframes.
  const keyframes = isFinal(session.state) ? new KeyframeKeeper(dir, renderer) : null;
  if (end - renderer.cursor > LONG_BYTES) progress?.(renderer.cursor, end);
  while (!renderer.advance(end, SLICE_MS)) {
    keyframes?.onProgress();
    progress?.(renderer.cursor, end);
    await Bun.sleep(0);
    if (signal?.aborted !== true) continue;
    renderer[Symbol.dispose]();
    throw new HoltError("ECANCELED", `screen rendering canceled: ${id}`);
  }
  if (cursor === null) keyframes?.atEnd();
  return renderer;
}

export function requireTerminal({ session_id, size }: Session): { cols: number; rows: number } {
  if (size !== null) return size;
  throw new HoltError("EBADARGS", `session ${session_id} has no terminal, so it has no screen`, {
    hint: `session.read {"session_id": "${session_id}"} shows what it printed`,
  });
}
