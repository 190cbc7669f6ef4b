/** Where an export can be cut so that its parts, made one by one, are together what the whole would be: behind a line, where no channel is within one. */
import type { Channel } from "../protocol/session.ts";
import type { TranscriptReader } from "./local-sessions.ts";

const LF = 10;

/** At most `bytes` past `from`. */
export function cutIn(
  reader: TranscriptReader,
  { from, end, bytes }: { from: number; end: number; bytes: number },
): number {
  if (end - from <= bytes) return end;
  const { chunks, next_cursor } = reader.read({ cursor: from, maxBytes: bytes });
  const open = new Set<Channel>();
  let cut: number | null = null;
  for (const { channel, offset, bytes: printed } of chunks) {
    const last = printed.lastIndexOf(LF);
    if (last >= 0) open.delete(channel);
    if (last >= 0 && open.size === 0) cut = offset + last + 1;
    if (last < printed.length - 1) open.add(channel);
  }
  const tail = chunks.at(-1)?.bytes ?? new Uint8Array();
  // A line without an end is cut as well, and no character in it.
  return Math.min(end, cut ?? Math.max(from + 1, next_cursor - unfinished(tail)));
}

/** How many bytes at the end may belong to a character that goes on. */
function unfinished(bytes: Uint8Array): number {
  const isContinuation = (byte: number): boolean => byte >= 0x80 && byte < 0xc0;
  for (let count = 1; count <= Math.min(4, bytes.length); count++) {
    const byte = bytes.at(-count) ?? 0;
    if (!isContinuation(byte)) return byte >= 0xc0 ? count : count - 1;
  }
  return 0;
}
