/** Reads a session's output from a cursor on, up to a number of bytes, grouped by channel. */
import { joined, textOf } from "../../protocol/types/bytes.ts";
import type { Channel } from "../../protocol/types/session.ts";
import { CharacterBoundary } from "../../terminal/parser/character-boundary.ts";
import type { TranscriptReader } from "../../transcript/read/reader.ts";

export interface CaptureRequest {
  cursor: number;
  maxBytes: number;
  channel?: Channel;
  /** "text": an incomplete character at the end is left for the next read. */
  encoding: "text" | "base64";
}

export interface CapturedOutput {
  channels: Map<string, Uint8Array>;
  next: number;
  eof: boolean;
  truncated: boolean;
}

export function captureOutput(reader: TranscriptReader, request: CaptureRequest): CapturedOutput {
  const { maxBytes, channel, encoding } = request;
  const parts = new Map<string, Uint8Array[]>();
  let next = request.cursor;
  let room = maxBytes;
  let eof = false;
  let isIncomplete = false;
  let last: Uint8Array[] = [];
  for (;;) {
    const read = reader.read({ cursor: next, maxBytes: room, ...(channel === undefined ? {} : { channel }) });
    for (const { channel: from, bytes } of read.chunks) {
      last = parts.get(from) ?? [];
      parts.set(from, last);
      last.push(bytes);
      room -= bytes.length;
    }
    isIncomplete ||= read.truncated;
    const isOver = read.eof || room === 0 || read.next_cursor === next;
    next = read.next_cursor;
    eof = read.eof;
    if (isOver) break;
  }
  if (encoding === "text" && !eof) next -= cutCharacter(last);
  const channels = new Map([...parts].map(([name, pieces]) => [name, joined(pieces)]));
  return { channels, next, eof, truncated: isIncomplete || (!eof && reader.end() > next) };
}

export function encodeBytes(encoding: "text" | "base64", bytes: Uint8Array): string {
  return encoding === "text" ? textOf(bytes) : bytes.toBase64();
}

/** Removes an incomplete character from the end, and returns its length: 0 to 3. */
function cutCharacter(pieces: Uint8Array[]): number {
  const bytes = pieces.at(-1) ?? new Uint8Array(0);
  const boundary = new CharacterBoundary();
  boundary.push(0, bytes);
  const end = boundary.before(bytes.length);
  if (end === 0) return 0; // an incomplete character alone is returned as it is
  pieces[pieces.length - 1] = bytes.subarray(0, end);
  return bytes.length - end;
}
