/** Plays the past of the shown session at its recorded speed. */
import { signal } from "@preact/signals";
import { moment, rpc } from "../state/app.ts";
import { timeline } from "../state/timeline.ts";
import type { Screen } from "./screen.ts";

export const SPEEDS = [1, 2, 4, 8, 16] as const;
export const isPlaying = signal(false);
export const speed = signal<(typeof SPEEDS)[number]>(1);
/** The moment that the terminal of the past shows; null before the first. */
export const shownPast = signal<{ id: string; cursor: number } | null>(null);

const READ_BYTES = 256 * 1024;
/** Longer pauses in the output are cut to this. */
const MAX_PAUSE_MS = 2000;

/** Plays from the shown moment to the end. */
export async function play(id: string, screen: Screen, stopped: AbortSignal): Promise<void> {
  let cursor = shownPast.peek()?.cursor ?? 0;
  let last: number | null = null;
  for (;;) {
    const read = await rpc.peek()?.call("session.read", { session_id: id, cursor: String(cursor), max_bytes: READ_BYTES });
    if (stopped.aborted) return;
    const chunks = read?.chunks ?? [];
    if (read === undefined || chunks.length === 0) break;
    for (const { data, timestamp, offset, length } of chunks) {
      const at = Date.parse(timestamp);
      if (last !== null) await pause(Math.min(MAX_PAUSE_MS, at - last) / speed.peek(), stopped);
      if (stopped.aborted) return;
      last = at;
      await print(id, screen, { bytes: Uint8Array.fromBase64(data), offset: Number(offset) });
      shownPast.value = { id, cursor: Number(offset) + length };
      moment.value = shownPast.value;
    }
    cursor = Number(read.next_cursor);
  }
  isPlaying.value = false;
  moment.value = null; // at the end: back to the live terminal
}

/** Writes a chunk, with the resizes inside of it. */
async function print(id: string, screen: Screen, { bytes, offset }: { bytes: Uint8Array; offset: number }): Promise<void> {
  let done = 0;
  for (const { cursor, text } of resizesOf(id)) {
    const at = Number(cursor) - offset;
    const [cols = 0, rows = 0] = text.split("×").map(Number);
    if (at < 0 || at >= bytes.length || !(cols > 0 && rows > 0)) continue;
    await screen.write(bytes.subarray(done, at));
    done = at;
    screen.resize(cols, rows);
  }
  await screen.write(bytes.subarray(done));
}

function resizesOf(id: string): { cursor: string | null; text: string }[] {
  const known = timeline.peek();
  if (known?.id !== id) return [];
  return known.line.marks.filter(({ kind, cursor }) => kind === "resize" && cursor !== null);
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  if (!(ms > 4)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
