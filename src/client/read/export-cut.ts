/**
 * Finds a cursor at which an export can be cut, so that the parts made one by one equal the whole:
 * after a line, when no channel is within one.
 */
import type { Channel } from "../../protocol/types/session.ts";
import type { Chunk } from "../../transcript/read/reader.ts";
import type { TranscriptReader } from "../sessions/local-sessions.ts";
import type { YieldToLoop } from "./text/page.ts";

const LF = 10;
/** A longer line is cut: its end must be found before the first byte is sent. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

export interface CutRequest {
  from: number;
  end: number;
  bytes: number;
  /** Text of a line depends on all of it: a carriage return erases what a progress bar printed. */
  needsLines: boolean;
}

/** At most `bytes` past `from`, unless the line there erases text and goes on: then its end. */
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
  // A line without an end is cut too, but not within a character.
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

/**
 * True if the previous part was cut within this line although it erases text: no line end was in
 * reach, so this part may be cut too.
 */
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

/** Tracks which channels are within a line. */
class OpenLines {
  readonly #open = new Set<Channel>();

  /** The cursor past the last line end at which no channel is within a line. */
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

/** Text and colours only append to a line. Any other sequence may erase earlier text. */
const ESC = "\x1b";
const COLOURS = new RegExp(`${ESC}\\[[\\d:;]*m`, "g");
const COLOUR_BEGUN = new RegExp(`${ESC}(?:\\[[\\d:;]*)?$`);
/** As bytes: anything but a tab, printable ASCII and bytes above 0x7f. */
const NOT_TEXT = /[^\t\x20-\x7e\x80-\xff]/;
/** Longer than any colour sequence in use. */
const MAX_COLOUR_BYTES = 64;

/**
 * True if nothing before `end` erases earlier text, and no channel is within a colour sequence
 * there.
 */
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

/** The number of bytes at the end that may begin a longer character or colour sequence. */
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

/** One character per byte. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
