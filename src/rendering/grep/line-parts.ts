/**
 * A long line in parts. Its bytes have cursors of their own, so whoever has no room for all of it is told where it was cut, and can go on from there: a part is the
 * text of its bytes, taken for themselves. No part begins or ends inside of a character or a sequence, whatever cursor is asked for, so that two that meet make the whole.
 */
import { unfinishedLength, LOOK_BACK } from "../../terminal/parser/unfinished-end.ts";
import { textOfRawLine } from "../../terminal/text/line-text.ts";
import { bytesOf, type LinePiece } from "./raw-line-walk.ts";

export interface LinePart {
  start: number;
  end: number;
  text: string;
}

const ESC = 0x1b;
const STRING = 0x5d;
const BEL = 7;
/** Of what changes nothing that was written before: colours, modes, strings such as the marks of a shell. */
const HARMLESS = /\x1b\[[\d;:?]*[mhl]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/;
const ONLY_ITS_END = /^\r?\n?$/;

/** Whether its text is that of its parts, one after the other. A line that was redrawn is what it showed in the end, and has none. */
export function hasParts(bytes: Uint8Array): boolean {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return !CONTROLS.test(latin.replace(/\r?\n$/, "").replaceAll(HARMLESS, ""));
}

export class LineParts {
  readonly #pieces: readonly LinePiece[];
  readonly #start: number;
  readonly #end: number;

  /** Of the raw line of these pieces, what lies between two cursors. */
  constructor(pieces: readonly LinePiece[], { start, end }: { start: number; end: number }) {
    this.#pieces = pieces;
    this.#start = start;
    this.#end = end;
  }

  /** Null where nothing of it lies there. */
  between(from: number, to: number): LinePart | null {
    const all = bytesOf(this.#pieces);
    const first = boundary(all, this.#indexOf(Math.max(from, this.#start)));
    const last = boundary(all, this.#indexOf(Math.min(to, this.#end)));
    const bytes = all.subarray(first, last);
    if (bytes.length === 0 || (from > this.#start && ONLY_ITS_END.test(String.fromCharCode(...bytes.subarray(0, 3)))))
      return null;
    const text = textOfRawLine(bytes)
      .map((line) => line.text)
      .join("\n");
    return { start: Math.max(from, this.#start), end: Math.min(to, this.#end), text };
  }

  /** As much of its beginning as makes so many bytes of text. */
  beginning(room: number): LinePart | null {
    const all = bytesOf(this.#pieces);
    const first = this.#indexOf(this.#start);
    return this.#fitting(room, (length) => this.between(this.#start, this.#cursorAt(boundary(all, first + length))));
  }

  /** As much of its end. */
  ending(room: number): LinePart | null {
    const all = bytesOf(this.#pieces);
    const last = this.#indexOf(this.#end);
    const spared = Math.min(LOOK_BACK, Math.floor(room / 2)); // what a boundary may lie ahead by
    return this.#fitting(room, (length) =>
      this.between(this.#cursorAt(boundary(all, Math.max(0, last - length + spared))), this.#end),
    );
  }

  /** Moves to the right make more text than they have bytes. */
  #fitting(room: number, part: (length: number) => LinePart | null): LinePart | null {
    for (let length = room; length >= 1; length = Math.floor(length / 2)) {
      const found = part(length);
      if (found !== null && Buffer.byteLength(found.text) <= room) return found;
    }
    return null;
  }

  #indexOf(cursor: number): number {
    let index = 0;
    for (const { offset, bytes } of this.#pieces) index += Math.min(bytes.length, Math.max(0, cursor - offset));
    return index;
  }

  #cursorAt(index: number): number {
    let before = 0;
    for (const { offset, bytes } of this.#pieces) {
      if (index < before + bytes.length) return offset + index - before;
      before += bytes.length;
    }
    return this.#end;
  }
}

function boundary(bytes: Uint8Array, index: number): number {
  const escape = index === 0 ? -1 : bytes.lastIndexOf(ESC, index - 1);
  const isInString = escape >= 0 && bytes[escape + 1] === STRING && !bytes.subarray(escape, index).includes(BEL);
  if (isInString) return escape;
  return index - unfinishedLength(bytes.subarray(Math.max(0, index - LOOK_BACK), index));
}
