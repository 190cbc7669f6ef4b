/** Where an export can be cut so that its parts, made one by one, are together what the whole would be: behind a line, where no channel is within one. */
import type { Channel } from "../protocol/session.ts";
import type { Chunk } from "../transcript/reader.ts";
import type { TranscriptReader } from "./local-sessions.ts";

const LF = 10;
const TAB = 9;
const SPACE = 32;
const DELETE = 127;
/** A line that goes on for longer is cut all the same: others wait while its end is looked for. */
const LONGEST_LINE = 8 * 1024 * 1024;
const LOOK_BYTES = 256 * 1024;

export interface Cut {
  from: number;
  end: number;
  bytes: number;
  /** What a line shows depends on all of it: a carriage return takes back what a progress bar printed. */
  needsLines: boolean;
}

/** At most `bytes` past `from`, or the end of the line that goes on past that, where it takes something back. */
export function cutIn(reader: TranscriptReader, { from, end, bytes, needsLines }: Cut): number {
  if (end - from <= bytes) return end;
  const lines = new Lines();
  const { chunks, next_cursor } = reader.read({ cursor: from, maxBytes: bytes });
  const cut = lines.lastEndIn(chunks);
  if (cut !== null) return Math.min(end, cut);
  const tail = chunks.at(-1)?.bytes ?? new Uint8Array();
  // A line without an end is cut as well, and no character in it.
  const within = Math.min(end, Math.max(from + 1, next_cursor - unfinished(tail)));
  if (!needsLines || chunks.every(isPlain)) return within;
  for (let at = next_cursor; at < end && at - from < LONGEST_LINE; ) {
    const more = reader.read({ cursor: at, maxBytes: LOOK_BYTES });
    const first = lines.firstEndIn(more.chunks);
    if (first !== null) return Math.min(end, first);
    if (more.next_cursor <= at) break;
    at = more.next_cursor;
  }
  return end - from < LONGEST_LINE ? end : within;
}

/** Which channels are within a line. */
class Lines {
  readonly #open = new Set<Channel>();

  /** Just past the last line's end at which no channel is within one. */
  lastEndIn(chunks: readonly Chunk[]): number | null {
    let cut: number | null = null;
    for (const { channel, offset, bytes } of chunks) {
      const last = bytes.lastIndexOf(LF);
      if (last >= 0) this.#open.delete(channel);
      if (last >= 0 && this.#open.size === 0) cut = offset + last + 1;
      if (last < bytes.length - 1) this.#open.add(channel);
    }
    return cut;
  }

  firstEndIn(chunks: readonly Chunk[]): number | null {
    for (const { channel, offset, bytes } of chunks) {
      const first = bytes.indexOf(LF);
      if (first >= 0) this.#open.delete(channel);
      if (first >= 0 && this.#open.size === 0) return offset + first + 1;
      if (bytes.lastIndexOf(LF) < bytes.length - 1) this.#open.add(channel);
    }
    return null;
  }
}

/** Nothing in it changes what was printed before it. */
function isPlain({ bytes }: Chunk): boolean {
  return bytes.every((byte) => (byte >= SPACE && byte !== DELETE) || byte === TAB);
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
