/**
 * Bytes are on disk before anybody is told of them, their place in the index some milliseconds later. Who was woken by them, and reads what it was
 * told of, waits for that: a read right behind a wait would find nothing.
 */
import type { TranscriptReader } from "../sessions/local-sessions.ts";

const POLL_MS = 1;
/** Far longer than a holder takes; a gap has no place in the index at all. */
const MAX_MS = 100;

/** Returns when what there was at the call can be read, at once where there is something past the cursor already. */
export async function waitUntilIndexed(reader: TranscriptReader, cursor: number, signal: AbortSignal): Promise<void> {
  if (reader.end() > cursor) return;
  const written = reader.written();
  const deadline = performance.now() + MAX_MS;
  while (reader.end() < written && performance.now() < deadline && !signal.aborted) await Bun.sleep(POLL_MS);
}
