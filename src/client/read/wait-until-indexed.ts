/**
 * Waits until output already on disk is in the index, which follows some milliseconds later. A read
 * right after a wait would otherwise find nothing.
 */
import type { TranscriptReader } from "../sessions/local-sessions.ts";

const POLL_MS = 1;
/** Far longer than a holder takes. A gap is never indexed. */
const MAX_MS = 100;

/** Returns at once if there is indexed output past the cursor. */
export async function waitUntilIndexed(reader: TranscriptReader, cursor: number, signal: AbortSignal): Promise<void> {
  if (reader.end() > cursor) return;
  const written = reader.written();
  const deadline = performance.now() + MAX_MS;
  while (reader.end() < written && performance.now() < deadline && !signal.aborted) await Bun.sleep(POLL_MS);
}
