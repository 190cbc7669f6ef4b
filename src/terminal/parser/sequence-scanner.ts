/**
 * Finds the control sequences in a terminal's byte stream: the state machine of DEC's VT500 (as
 * drawn by Paul Williams). Native searches jump from one sequence to the next without reading text
 * byte by byte. Chunking does not change the result.
 *
 * In UTF-8, a byte 0x80 to 0x9F is part of a character or invalid, never a control. The C1 controls
 * U+0080 to U+009F are C2 80 to C2 9F, as in xterm and xterm.js in UTF-8 mode. C2 can only begin a
 * character, so no other decoding is needed.
 *
 * An unterminated string goes on, as in a terminal, but only the first `keep` bytes are kept.
 */
import { CharacterBoundary } from "./character-boundary.ts";
import { isC1, kindOpenedBy } from "./sequence.ts";
import { type ScannerOptions, Sequence, type SequenceEnd, type SequenceHandler } from "./sequence.ts";
import { SequenceBody } from "./sequence-body.ts";
import { C1_LEAD, StreamSearch } from "./stream-search.ts";

const DEFAULT_KEEP = 4096;
/** Most CSI sequences are shorter. */
const SHORT = 64;

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const DEL = 0x7f;
const STRING_TERMINATOR = 0x9c;
/** The first final bytes of ESC and of CSI sequences. */
const ESCAPE_FINAL = 0x30;
const CSI_FINAL = 0x40;

const NOTHING = new Uint8Array(0);

/** `string_escape`: after an ESC inside a string, which ends the string whatever follows. */
type State = "ground" | "escape" | "csi" | "string" | "string_escape";

export class SequenceScanner {
  readonly #handler: SequenceHandler;
  readonly #watched: readonly number[];
  readonly #short: number;
  readonly #search: StreamSearch;
  readonly #body: SequenceBody;
  readonly #characters = new CharacterBoundary();
  readonly #sequence = new Sequence();

  #state: State = "ground";
  #chunk: Uint8Array = NOTHING;
  #base = 0;
  /** Offset of the end of the stream so far. */
  #end = 0;
  /** An ESC sequence without intermediates so far: it may still open a longer sequence. */
  #bare = true;
  /**
   * Offset where the stream was last in the ground state: the start of a sequence, also when others
   * interrupted it.
   */
  #groundEnd = 0;
  /** The stream ended in C2, which may begin a C1 control. */
  #leadPending = false;
  /** Offset of that byte, or of the ESC in `string_escape`. */
  #pendingAt = 0;

  constructor(handler: SequenceHandler, { keep = DEFAULT_KEEP, controls = [] }: ScannerOptions = {}) {
    this.#handler = handler;
    this.#watched = controls;
    this.#short = Math.min(keep, SHORT);
    this.#search = new StreamSearch(controls);
    this.#body = new SequenceBody(keep);
  }

  /** `base` is the chunk's offset in the stream; chunks follow one another without gaps. */
  push(base: number, chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#base = base;
    this.#enter(chunk);
    let at = this.#leadPending ? this.#resolveLead() : 0;
    while (at < chunk.length) at = this.#step(at);
    if (this.#state !== "ground") this.#body.keep();
    this.#characters.push(base, chunk);
    this.#end = base + chunk.length;
    this.#enter(NOTHING);
    this.#sequence.bytes = NOTHING;
  }

  /**
   * Called with an empty chunk at the end, so that a quiet session does not retain the last chunk.
   */
  #enter(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#search.enter(chunk);
    this.#body.enter(chunk);
  }

  /** The stream may be cut here: everything before is text and complete sequences. */
  get boundary(): number {
    return this.#state === "ground" ? this.#characters.before(this.#end) : this.#groundEnd;
  }

  /** The sequence that the stream currently ends in, or null. */
  get open(): Sequence | null {
    if (this.#state === "ground") return null;
    this.#body.fill(this.#sequence);
    return this.#sequence;
  }

  /** From this offset on, a byte may still begin or end a sequence. */
  get undecided(): number {
    const isPending = this.#leadPending || this.#state === "string_escape";
    return isPending ? this.#pendingAt : this.#end;
  }

  get isGround(): boolean {
    return this.#state === "ground";
  }

  #step(at: number): number {
    switch (this.#state) {
      case "ground":
        return this.#ground(at);
      case "escape":
        return this.#collect(at, ESCAPE_FINAL);
      case "csi":
        return this.#collect(at, CSI_FINAL);
      case "string":
        return this.#string(at);
      case "string_escape":
        return this.#afterStringEscape(at);
    }
  }

  #ground(from: number): number {
    const chunk = this.#chunk;
    let at = this.#search.inText(from);
    // Fast path: most sequences are CSI and lie in one chunk.
    while (at + 1 < chunk.length && chunk[at] === ESC && chunk[at + 1] === BRACKET) {
      const end = this.#wholeCsi(at);
      if (end === -1) break;
      at = this.#search.inText(end);
    }
    if (at >= chunk.length) return at;
    const byte = chunk[at] ?? 0;
    if (byte === C1_LEAD) return this.#lead(at);
    if (byte === ESC) this.#begin(this.#base + at, at + 1);
    else this.#handler.control?.(byte, this.#base + at);
    return at + 1;
  }

  /** Reports the plain CSI sequence at `start` and returns its end; -1 if it is not plain. */
  #wholeCsi(start: number): number {
    const end = endOfPlainCsi(this.#chunk, start, this.#short);
    if (end === -1) return -1;
    this.#sequence.setCsi(this.#chunk, { start, end, base: this.#base });
    this.#handler.sequence(this.#sequence);
    return end;
  }

  /** Parameters and intermediates, up to the final byte. */
  #collect(from: number, lowestFinal: number): number {
    const chunk = this.#chunk;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte >= 0x20 && byte < lowestFinal) {
        if (byte < ESCAPE_FINAL) this.#bare = false;
      } else if (byte !== DEL) {
        this.#body.to = at;
        return byte >= lowestFinal && byte < DEL ? this.#final(byte, at + 1) : this.#foreign(byte, at);
      }
    }
    this.#body.to = chunk.length;
    return chunk.length;
  }

  /**
   * A byte that is no part of a sequence: a control takes effect, a non-ASCII character voids the
   * sequence.
   */
  #foreign(byte: number, at: number): number {
    if (byte === C1_LEAD) return this.#lead(at);
    if (byte > DEL) return this.#voidBefore(at);
    if (byte === ESC) this.#interrupt(this.#base + at, at + 1);
    else if (byte === CAN || byte === SUB) this.#close("canceled", this.#base + at + 1);
    else {
      this.#body.to = at + 1;
      if (this.#watched.includes(byte)) this.#handler.control?.(byte, this.#base + at);
    }
    return at + 1;
  }

  #final(byte: number, next: number): number {
    const sequence = this.#sequence;
    sequence.final = byte;
    const kind = this.#state === "escape" && this.#bare ? kindOpenedBy(byte) : null;
    if (kind === null) this.#close("final", this.#base + next);
    else {
      sequence.kind = kind;
      sequence.final = 0;
      this.#state = kind === "csi" ? "csi" : "string";
      this.#body.begin(next);
    }
    return next;
  }

  #string(from: number): number {
    const at = this.#search.inString(from, this.#sequence.kind === "osc");
    this.#body.to = at;
    if (at >= this.#chunk.length) return at;
    const byte = this.#chunk[at];
    if (byte === C1_LEAD) return this.#lead(at);
    if (byte === ESC) {
      this.#state = "string_escape";
      this.#pendingAt = this.#base + at;
    } else this.#close(byte === BEL ? "bel" : "canceled", this.#base + at + 1);
    return at + 1;
  }

  #afterStringEscape(at: number): number {
    if (this.#chunk[at] === BACKSLASH) {
      this.#close("st", this.#base + at + 1);
      return at + 1;
    }
    this.#interrupt(this.#pendingAt, at);
    return at;
  }

  /** C2: a C1 control if the next byte says so, otherwise a character. */
  #lead(at: number): number {
    const second = this.#chunk[at + 1];
    if (second === undefined) {
      this.#leadPending = true;
      this.#pendingAt = this.#base + at;
      return at + 1;
    }
    if (isC1(second)) return this.#c1(second, this.#base + at, at + 2);
    if (this.#state === "escape" || this.#state === "csi") return this.#voidBefore(at);
    this.#body.to = at + 1;
    return at + 1;
  }

  #resolveLead(): number {
    this.#leadPending = false;
    const second = this.#chunk[0] ?? 0;
    if (isC1(second)) return this.#c1(second, this.#pendingAt, 1);
    if (this.#state === "string") this.#body.keepLead();
    else if (this.#state !== "ground") this.#close("interrupted", this.#pendingAt);
    return 0;
  }

  /** A C1 control is the 8-bit form of ESC and the character 0x40 below. */
  #c1(code: number, start: number, next: number): number {
    if (this.#state === "string" && code === STRING_TERMINATOR) {
      this.#close("st", this.#base + next);
      return next;
    }
    if (this.#state === "ground") this.#begin(start, next);
    else this.#interrupt(start, next);
    return this.#final(code - 0x40, next);
  }

  #voidBefore(at: number): number {
    this.#close("interrupted", this.#base + at);
    return at;
  }

  /** A sequence begins before the last one ended. */
  #interrupt(start: number, next: number): void {
    this.#close("interrupted", start);
    const groundEnd = this.#groundEnd;
    this.#begin(start, next);
    this.#groundEnd = groundEnd;
  }

  #begin(start: number, next: number): void {
    const sequence = this.#sequence;
    sequence.kind = "escape";
    sequence.ended = "open";
    sequence.start = start;
    this.#groundEnd = start;
    this.#state = "escape";
    this.#bare = true;
    this.#body.begin(next);
  }

  #close(ended: SequenceEnd, end: number): void {
    const sequence = this.#sequence;
    sequence.ended = ended;
    sequence.end = end;
    this.#body.fill(sequence);
    this.#state = "ground";
    this.#handler.sequence(sequence);
  }
}

/**
 * End of the CSI sequence at `start` (`ESC [`), when it has at most `longest` bytes before its
 * final byte and no control or non-ASCII byte inside; otherwise -1.
 */
function endOfPlainCsi(chunk: Uint8Array, start: number, longest: number): number {
  const last = Math.min(chunk.length, start + 3 + longest);
  for (let at = start + 2; at < last; at++) {
    const byte = chunk[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) return -1;
    if (byte >= 0x40) return at + 1;
  }
  return -1;
}
