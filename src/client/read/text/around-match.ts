/** Shortens a long matching line to the part around the match, with cursors for the rest. */
import type { GrepLine } from "../../../rendering/grep/grep.ts";

/** The size of the two notes. */
const NOTES_BYTES = 128;
const LINE_END = 2;

/** At most `room` bytes; null if there is too little room. */
export function aroundMatch(line: GrepLine, room: number): string | null {
  const { text, at = 0 } = line;
  for (let length = Math.min(text.length, room - NOTES_BYTES); length >= 1; length = Math.floor(length / 2)) {
    const from = characterBoundary(text, Math.max(0, Math.min(at - Math.floor(length / 3), text.length - length)));
    const to = characterBoundary(text, from + length);
    const part = text.slice(from, to);
    if (Buffer.byteLength(part) + NOTES_BYTES <= room) return withNotes(line, part, from, to);
  }
  return null;
}

function withNotes(line: GrepLine, part: string, from: number, to: number): string {
  const { text, start, end } = line;
  const before = Buffer.byteLength(text.slice(0, from));
  const behind = Buffer.byteLength(text.slice(to));
  // If escape sequences were removed, offsets in the text are not offsets in the transcript.
  const isExact = end - start - Buffer.byteLength(text) <= LINE_END;
  const left = from === 0 ? "" : `… ${before.toLocaleString("en")} bytes, cursor ${start} … `;
  const next = isExact ? start + before + Buffer.byteLength(part) : start;
  const right = to === text.length ? "" : ` … ${behind.toLocaleString("en")} bytes, cursor ${next} …`;
  return left + part + right;
}

/** Not between the halves of a surrogate pair. */
function characterBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
