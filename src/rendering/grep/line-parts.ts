/**
 * Splits a long line into parts by cursor: a part is the text of its bytes. No part begins or ends
 * inside a character or a sequence, so adjacent parts make the whole line.
 */
import { unfinishedLength, LOOK_BACK } from "../../terminal/parser/unfinished-end.ts";
import { textOfRawLine } from "../../terminal/text/line-text.ts";
import { lineBytes, type LinePiece } from "./raw-line-walk.ts";

export interface LinePart {
  start: number;
  end: number;
  text: string;
}

const ESC = 0x1b;
const STRING = 0x5d;
const BEL = 7;
/**
 * Sequences that do not change text already written: colours, modes, strings such as shell marks.
 */
const HARMLESS = /\x1b\[[\d;:?]*[mhl]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]/;
const ONLY_ITS_END = /^\r?\n?$/;

/** True when the line's text is that of its parts in order. False for a line that was redrawn. */
export function hasParts(bytes: Uint8Array): boolean {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return !CONTROLS.test(latin.replace(/\r?\n$/, "").replaceAll(HARMLESS, ""));
}

export class LineParts {
  readonly #pieces: readonly LinePiece[];
  readonly #start: number;
  readonly #end: number;

  /** Parts of a raw line between two cursors. */
  constructor(pieces: readonly LinePiece[], { start, end }: { start: number; end: number }) {
    this.#pieces = pieces;
    this.#start = start;
    this.#end = end;
  }

  /** The part between two cursors; null when it is empty. */
  between(from: number, to: number): LinePart | null {
    const all = lineBytes(this.#pieces);
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

  /** The longest beginning whose text fits `room` bytes. */
  beginning(room: number): LinePart | null {
    const all = lineBytes(this.#pieces);
    const first = this.#indexOf(this.#start);
    return this.#fitting(room, (length) => this.between(this.#start, this.#cursorAt(boundary(all, first + length))));
  }

  /** The longest end whose text fits `room` bytes. */
  ending(room: number): LinePart | null {
    const all = lineBytes(this.#pieces);
    const last = this.#indexOf(this.#end);
    const spared = Math.min(LOOK_BACK, Math.floor(room / 2)); // how far boundary() may move back
    return this.#fitting(room, (length) =>
      this.between(this.#cursorAt(boundary(all, Math.max(0, last - length + spared))), this.#end),
    );
  }

  /**
   * Halves the length until the text fits: cursor moves to the right can make text longer than its
   * bytes.
   */
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
