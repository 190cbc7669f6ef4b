import type { WatchContext, Watcher } from "./conditions/condition.ts";
import type { Chunk, ReadResult } from "./local-sessions.ts";
import { waitUntil, type WaitUntilOptions } from "./wait-until.ts";

export interface WaitOptions extends Omit<WaitUntilOptions, "until"> {
  maxBytes: number;
}

export interface Waited extends ReadResult {
  outcome: "data" | "exited" | "timeout";
}

/**
 * What is past the cursor: at once if there is something or nothing more will come, else as soon as there is.
 * The bytes that woke us are answered as the holder sent them: on disk they may stay unindexed for some milliseconds more,
 * and in a capture gap they never get there. ECANCELED when the signal fires.
 */
export async function waitForOutput({ maxBytes, ...options }: WaitOptions): Promise<Waited> {
  const now = options.sessions.read(options.id, { cursor: options.cursor, maxBytes });
  if (now.chunks.length > 0) return { ...now, outcome: "data" };
  if (now.eof) return { ...now, outcome: "exited" };

  const chunks: Chunk[] = [];
  const firstBytes = ({ meet }: WatchContext): Watcher => ({
    take(item) {
      if (item.type === "gap") now.truncated = true;
      else if (chunks.length === 0) {
        const { cursor, channel, timestamp } = item;
        const bytes = item.bytes.subarray(0, maxBytes);
        chunks.push({ channel, offset: cursor, timestamp: new Date(timestamp).toISOString(), bytes });
        meet({ outcome: "data", cursor: cursor + bytes.length });
      }
    },
    [Symbol.dispose]() {},
  });
  const { outcome, cursor } = await waitUntil({ ...options, cursor: now.next_cursor, until: firstBytes });
  const waited = { ...now, next_cursor: cursor };
  if (outcome === "timeout") return { ...waited, outcome };
  return outcome === "exited" ? { ...waited, outcome, eof: true } : { ...waited, outcome: "data", chunks };
}
