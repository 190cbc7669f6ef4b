/**
 * Applies the most common output straight from its bytes: narrow text, line ends, colours, cursor
 * addresses and erasures. xterm's own path (string, code points, state table, handlers, cell by
 * cell) takes three times as long.
 *
 * The result is exactly xterm's; each part names what it replaces. Anything unsure stops the fast
 * path between sequences, and xterm continues there. Sequences that are only recognised go to
 * xterm's handlers.
 */
import type { InputHandler } from "./emulator-core.ts";
import { applyColors } from "./emulator-colors.ts";
import { eraseRight, print } from "./emulator-print.ts";

const BS = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const DEL = 0x7f;
const PARENTHESIS = 0x28;
const BRACKET = 0x5b;
const SEMICOLON = 0x3b;
/** The private markers of a CSI sequence: `<=>?`. */
const FIRST_MARKER = 0x3c;
const LAST_MARKER = 0x3f;
const [CUP, HVP, EL, SGR] = [0x48, 0x66, 0x4b, 0x6d];
/** Finals of complete two-byte ESC sequences. */
const ESCAPES = new Set("78DEHM=>".split("").map((final) => final.charCodeAt(0)));
const ASCII_SET = 0x42;

const MAX_PARAMETERS = 16;
const MAX_VALUE = 100_000;

export class FastPath {
  readonly #handler: InputHandler;
  readonly #values = new Int32Array(MAX_PARAMETERS);
  #count = 0;
  #isActive = false;
  #at = 0;

  constructor(handler: InputHandler) {
    this.#handler = handler;
  }

  /** How far the last call got, also when it threw. */
  get reached(): number {
    return this.#at;
  }

  /**
   * Applies output from `from`, which lies between sequences, and returns where the fast path
   * stops.
   */
  take(bytes: Uint8Array, from: number): number {
    this.#at = from;
    this.#isActive = this.#applies();
    for (let at = from; this.#isActive && at < bytes.length; ) {
      const next = this.#step(bytes, at);
      if (next === at) break;
      at = next;
      this.#at = at;
    }
    return this.#at;
  }

  /**
   * True while text goes cell by cell: no other character set, no insert mode, wraparound, no link.
   */
  #applies(): boolean {
    const { _coreService, _charsetService, _curAttrData } = this.#handler;
    return (
      _charsetService.charset === undefined &&
      !_coreService.modes.insertMode &&
      _coreService.decPrivateModes.wraparound &&
      _curAttrData.extended.urlId === 0
    );
  }

  #step(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x20) return print(this.#handler, bytes, at);
    if (byte === ESC) return this.#escape(bytes, at);
    if (byte === CR) this.#handler._activeBuffer.x = 0;
    else if (byte === LF) this.#handler.lineFeed();
    else if (byte === BS) this.#handler.backspace();
    else if (byte === TAB) this.#handler.tab();
    else return at;
    this.#handler._parser.precedingJoinState = 0;
    return at + 1;
  }

  #escape(bytes: Uint8Array, at: number): number {
    const byte = bytes[at + 1];
    if (byte === BRACKET) return this.#csi(bytes, at);
    if (byte === PARENTHESIS && bytes[at + 2] === ASCII_SET) {
      this.#handler.selectCharset("(B");
      this.#handler._parser.precedingJoinState = 0;
      return at + 3;
    }
    if (byte === undefined || !ESCAPES.has(byte)) return at;
    this.#at = at + 2;
    const handlers = this.#handler._parser._escHandlers[byte] ?? [];
    for (let n = handlers.length - 1; n >= 0 && handlers[n]?.() !== true; n--) continue;
    this.#handled();
    return at + 2;
  }

  #csi(bytes: Uint8Array, at: number): number {
    const marker = bytes[at + 2] ?? 0;
    const isMarked = marker >= FIRST_MARKER && marker <= LAST_MARKER;
    const end = this.#parameters(bytes, at + (isMarked ? 3 : 2));
    const final = bytes[end] ?? 0;
    // Intermediates and controls are rare: xterm handles them.
    if (final < 0x40 || final >= DEL) return at;
    if (isMarked || !this.#applied(final)) {
      this.#at = end + 1;
      this.#callHandlers(((isMarked ? marker : 0) << 8) | final);
    } else this.#handler._parser.precedingJoinState = 0;
    return end + 1;
  }

  /** Parses parameters; returns their end, or bytes.length when the fast path cannot take them. */
  #parameters(bytes: Uint8Array, from: number): number {
    const values = this.#values;
    let count = 0;
    let value = 0;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x30 && byte <= 0x39) {
        value = value * 10 + byte - 0x30;
        if (value > MAX_VALUE) return bytes.length;
      } else {
        values[count++] = value;
        value = 0;
        if (byte !== SEMICOLON) {
          this.#count = count;
          return at;
        }
        if (count === MAX_PARAMETERS) return bytes.length;
      }
    }
    return bytes.length;
  }

  /** Applies the most common sequences itself; returns false for others. */
  #applied(final: number): boolean {
    if (final === SGR) return applyColors(this.#handler._curAttrData, this.#values, this.#count);
    if (this.#handler._coreService.decPrivateModes.origin) return false;
    if (final === CUP || final === HVP) this.#address();
    else if (final === EL && this.#values[0] === 0) eraseRight(this.#handler);
    else return false;
    return true;
  }

  /** InputHandler.cursorPosition */
  #address(): void {
    const { _activeBuffer: buffer, _bufferService: size } = this.#handler;
    const row = this.#values[0] ?? 0;
    const column = this.#count < 2 ? 1 : (this.#values[1] ?? 0);
    buffer.y = Math.min(Math.max(row, 1), size.rows) - 1;
    buffer.x = Math.min(Math.max(column, 1), size.cols) - 1;
  }

  /** EscapeSequenceParser.parse, at the end of a CSI sequence. */
  #callHandlers(id: number): void {
    const { _params, _csiHandlers } = this.#handler._parser;
    _params.reset();
    for (let n = 0; n < this.#count; n++) _params.addParam(this.#values[n] ?? 0);
    const handlers = _csiHandlers[id] ?? [];
    for (let n = handlers.length - 1; n >= 0 && handlers[n]?.(_params) !== true; n--) continue;
    this.#handled();
  }

  #handled(): void {
    this.#handler._parser.precedingJoinState = 0;
    this.#isActive = this.#applies();
  }
}
