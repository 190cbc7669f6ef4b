/** Where an export can be cut so that its parts, made one by one, are together what the whole would be: behind a line, where no channel is within one. */
import type { Channel } from "../../protocol/types/session.ts";
import type { Chunk } from "../../transcript/read/reader.ts";
import type { TranscriptReader } from "../sessions/local-sessions.ts";
import type { YieldToLoop } from "./text/page.ts";

const LF = 10;
/** A line that goes on for longer is cut all the same: its end is looked for before the first byte goes out. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

export interface CutRequest {
  from: number;
  end: number;
  bytes: number;
  /** What a line shows depends on all of it: a carriage return takes back what a progress bar printed. */
  needsLines: boolean;
}

/** At most `bytes` past `from`, or the end of the line that goes on past that, where it takes something back. */
export async function findCut(
  reader: TranscriptReader,
  request: CutRequest,
  yieldToLoop: YieldToLoop,
): Promise<number> {
  const { from, end, bytes, needsLines } = request;
  if (end - from <= bytes) return end;
  const lines = new OpenLines();
  const { chunks, next_cursor } = reader.read({ cursor: from, maxBytes: bytes });
  const cut = lines.lastEndIn(chunks);
  if (cut !== null) return Math.min(end, cut);
  const tail = chunks.at(-1)?.bytes ?? new Uint8Array();
  // A line without an end is cut as well, and no character in it.
  const within = Math.min(end, Math.max(from + 1, next_cursor - unfinishedBytes(tail)));
  if (!needsLines || isAppendOnly(chunks, within) || wasCutInLine(reader, request)) return within;
  for (let at = next_cursor; at < end && at - from < MAX_LINE_BYTES; ) {
    await yieldToLoop();
    const more = reader.read({ cursor: at, maxBytes: BLOCK_BYTES });
    const first = lines.firstEndIn(more.chunks);
    if (first !== null) return Math.min(end, first);
    if (more.next_cursor <= at) break;
    at = more.next_cursor;
  }
  return end - from < MAX_LINE_BYTES ? end : within;
}

/** The part before it was cut within this line, though that is not plain: so there was no end within reach, and nothing to be kept together any more. */
function wasCutInLine(reader: TranscriptReader, { from, bytes }: CutRequest): boolean {
  if (from === 0) return false;
  const before = Math.max(0, from - bytes);
  let line: Chunk[] = [];
  for (const chunk of reader.read({ cursor: before, maxBytes: from - before }).chunks) {
    const start = chunk.bytes.lastIndexOf(LF) + 1;
    if (start > 0) line = [];
    line.push({ ...chunk, offset: chunk.offset + start, bytes: chunk.bytes.subarray(start) });
  }
  return !isAppendOnly(line, from);
}

/** Which channels are within a line. */
class OpenLines {
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

/** Text and its colours only add to a line. Any other sequence may take back what was printed before it. */
const ESC = "\x1b";
const COLOURS = new RegExp(`${ESC}\\[[\\d:;]*m`, "g");
const COLOUR_BEGUN = new RegExp(`${ESC}(?:\\[[\\d:;]*)?$`);
/** As bytes: a tab, and all that is neither a control character nor DEL. */
const NOT_TEXT = /[^\t\x20-\x7e\x80-\xff]/;
/** Nobody's colour is longer. */
const MAX_COLOUR_BYTES = 64;

/** Nothing of it before `end` changes what was printed before it, and no channel is within a colour there. */
function isAppendOnly(chunks: readonly Chunk[], end: number): boolean {
  const openColours = new Map<Channel, string>();
  for (const { channel, offset, bytes } of chunks) {
    const text = (openColours.get(channel) ?? "") + latin1(bytes.subarray(0, Math.max(0, end - offset)));
    const withoutColours = text.replace(COLOURS, "");
    const [colour = ""] = COLOUR_BEGUN.exec(withoutColours) ?? [];
    if (NOT_TEXT.test(withoutColours.slice(0, withoutColours.length - colour.length))) return false;
    openColours.set(channel, colour);
  }
  return [...openColours.values()].every((colour) => colour === "");
}

/** How many bytes at the end may belong to a character, or a colour, that goes on. */
function unfinishedBytes(bytes: Uint8Array): number {
  const [colour = ""] = COLOUR_BEGUN.exec(latin1(bytes.subarray(-MAX_COLOUR_BYTES))) ?? [];
  if (colour !== "") return colour.length;
  const isContinuation = (byte: number): boolean => byte >= 0x80 && byte < 0xc0;
  for (let count = 1; count <= Math.min(4, bytes.length); count++) {
    const byte = bytes.at(-count) ?? 0;
    if (!isContinuation(byte)) return byte >= 0xc0 ? count : count - 1;
  }
  return 0;
}

/** One a byte. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
