import { HoltError } from "../protocol/errors.ts";
import { deadlineAfter } from "./deadline.ts";
import { type FollowItem, follow } from "./follow.ts";
import type { Chunk, LocalSessions, ReadResult } from "./local-sessions.ts";

export interface WaitOptions {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Waited extends ReadResult {
  outcome: "data" | "exited" | "timeout";
}

/**
 * What is past the cursor: at once if there is something or nothing more will come, else as soon as there is.
 * The bytes that woke us are answered as the holder sent them: on disk they may stay unindexed for some milliseconds more,
 * and in a capture gap they never get there. ECANCELED when the signal fires.
 */
export async function waitForOutput(options: WaitOptions): Promise<Waited> {
  const { sessions, id, cursor, maxBytes, timeoutMs, signal } = options;
  const now = sessions.read(id, { cursor, maxBytes });
  if (now.chunks.length > 0) return { ...now, outcome: "data" };
  if (now.eof) return { ...now, outcome: "exited" };

  const waited: Waited = { ...now, outcome: "timeout" };
  using deadline = deadlineAfter(timeoutMs, signal);
  for await (const item of follow({ id, cursor: now.next_cursor, signal: deadline.signal, layout: sessions.layout })) {
    if (item.type === "data") {
      const chunk = chunkOf(item, maxBytes);
      return { ...waited, outcome: "data", chunks: [chunk], next_cursor: chunk.offset + chunk.bytes.length };
    }
    if (item.type === "end") return { ...waited, outcome: "exited", next_cursor: item.cursor, eof: true };
    waited.truncated = true;
    waited.next_cursor = item.to;
  }
  if (signal.aborted) throw new HoltError("ECANCELED", `the wait for ${id} was canceled`);
  return waited;
}

function chunkOf({ cursor, channel, timestamp, bytes }: FollowItem & { type: "data" }, maxBytes: number): Chunk {
  return { channel, offset: cursor, timestamp: new Date(timestamp).toISOString(), bytes: bytes.subarray(0, maxBytes) };
}
