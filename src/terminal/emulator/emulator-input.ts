/**
 * Feeds bytes to the parser in pieces that end between characters, and keeps what is unfinished: a
 * replay ends with it, so that the receiving terminal stands in the middle of the same sequence and
 * character.
 *
 * xterm's own decoder drops invalid UTF-8 and loses characters that are split at a byte 0x80.
 */
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { BIDI_CONTROLS } from "../parser/bidi-controls.ts";
import type { InputHandler } from "./emulator-core.ts";
import type { FastPath } from "./emulator-fast-path.ts";

/**
 * Bytes given to xterm's parser at a time: few while the fast path is likely to continue soon, then
 * doubling.
 */
const FIRST_PIECE = 64;
const PIECE = 64 * 1024;
/** Longer strings (title, link, clipboard) have no effect and are not kept. */
export const MAX_STRING = 8 * 1024;
/** Includes the string's opener, and room to spare. */
const MAX_UNFINISHED = 2 * MAX_STRING;

const GROUND = 0;
const STRING_IGNORED = 7;
const DCS_FIRST = 9;
const NOTHING = new Uint8Array(0);

/** `ESC k` sets the window name in screen and tmux; xterm would print the name. */
const WINDOW_NAME = /\x1b([\x00-\x17\x19\x1c-\x1f\x7f]*)k/g;
const UNKNOWN_OSC = "]99999;";

export class EmulatorInput {
  readonly #handler: InputHandler;
  readonly #fastPath: FastPath | null;
  #piece = FIRST_PIECE;
  #partialCharacter: Uint8Array = NOTHING;
  #partialSequence = "";

  /** Without a fast path, xterm's parser handles everything. */
  constructor(handler: InputHandler, fastPath: FastPath | null) {
    this.#handler = handler;
    this.#fastPath = fastPath;
    if (fastPath === null) this.#piece = PIECE;
  }

  get isGround(): boolean {
    return this.#handler._parser.currentState === GROUND && this.#partialCharacter.length === 0;
  }

  get unfinished(): Uint8Array {
    return joined([bytesOf(this.#partialSequence), this.#partialCharacter]);
  }

  write(bytes: Uint8Array): void {
    for (let at = this.#takeFastPath(bytes, 0); at < bytes.length; ) {
      const end = Math.min(at + this.#piece, bytes.length);
      this.#feed(bytes.subarray(at, end));
      at = this.#takeFastPath(bytes, end);
      if (this.#fastPath !== null)
        this.#piece = at - end >= this.#piece ? FIRST_PIECE : Math.min(2 * this.#piece, PIECE);
    }
  }

  /** Returns how far the fast path gets. */
  #takeFastPath(bytes: Uint8Array, from: number): number {
    if (this.#fastPath === null || from >= bytes.length || !this.isGround) return from;
    try {
      return this.#fastPath.take(bytes, from);
    } catch {
      this.#handler._parser.reset();
      return this.#fastPath.reached;
    }
  }

  #feed(piece: Uint8Array): void {
    const whole = this.#partialCharacter.length === 0 ? piece : joined([this.#partialCharacter, piece]);
    const end = endOfCharacters(whole);
    this.#partialCharacter = end === whole.length ? NOTHING : whole.slice(end);
    if (end > 0) this.#parse(textOf(whole.subarray(0, end)));
  }

  #parse(given: string): void {
    const text = given.replaceAll(BIDI_CONTROLS, "");
    let known = text.includes("\x1b") ? text.replaceAll(WINDOW_NAME, `\x1b$1${UNKNOWN_OSC}`) : text;
    if (this.#partialSequence === "\x1b")
      known = known.replace(/^([\x00-\x17\x19\x1c-\x1f\x7f]*)k/, `$1${UNKNOWN_OSC}`);
    try {
      void this.#handler.parse(known);
    } catch {
      // A fault in xterm: its effects so far stand, and the next piece starts in the ground state.
      this.#handler._parser.reset();
    }
    this.#partialSequence = this.#unfinishedAfter(known);
  }

  #unfinishedAfter(text: string): string {
    const parser = this.#handler._parser;
    const state = parser.currentState;
    if (state === GROUND) return "";
    if (state === STRING_IGNORED) return "\x1bX";
    const start = lastOpener(text);
    const added = start < 0 ? text : text.slice(start);
    // Controls inside a sequence have taken effect already.
    const kept = state >= DCS_FIRST ? added : added.replaceAll(/[\x00-\x1a\x1c-\x1f]/g, "");
    const unfinished = start < 0 ? this.#partialSequence + kept : kept;
    if (unfinished.length <= MAX_UNFINISHED) return unfinished;
    parser._oscParser.reset();
    parser._dcsParser.reset();
    return unfinished.slice(0, MAX_UNFINISHED + 1);
  }
}

/** Each of these begins a sequence in any state. */
function lastOpener(text: string): number {
  let last = text.lastIndexOf("\x1b");
  for (const opener of "\x90\x98\x9b\x9d\x9e\x9f") last = Math.max(last, text.lastIndexOf(opener));
  return last;
}

function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const length = byte < 0xc2 || byte > 0xf4 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
