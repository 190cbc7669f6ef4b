/**
 * Finds the control sequences in a terminal's stream of bytes: the state machine of DEC's VT500 (as drawn by Paul
 * Williams), on bytes and at the pace of capture. Text is never looked at byte by byte: native searches go from one
 * sequence to the next. Whatever the chunking, the same sequences are reported with the same offsets.
 *
 * The stream is UTF-8. A byte 0x80 to 0x9F is part of a character or broken text, never a control; the characters
 * U+0080 to U+009F (C2 80 to C2 9F) are the C1 controls, as they are to xterm and xterm.js in UTF-8 mode. C2 can only
 * begin a character, so no other decoding is needed to find them.
 *
 * A string that nothing ends goes on, as in a terminal, but only the first `keep` bytes of a sequence are kept.
 */
import { CharacterBoundary } from "./character-boundary.ts";
import { NextByte } from "./next-byte.ts";
import { Sequence, type SequenceEnd, type SequenceKind } from "./sequence.ts";

export interface SequenceHandler {
  /** Also one that was broken off (`complete` is false). */
  sequence(sequence: Sequence): void;
  /** One of the controls that were asked for: in text, or inside a sequence, where it acts all the same. */
  control?(code: number, offset: number): void;
}

export interface ScannerOptions {
  keep?: number;
  controls?: readonly number[];
}

const DEFAULT_KEEP = 4096;
const FIRST_KEEP = 256;

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BACKSLASH = 0x5c;
const DEL = 0x7f;
const C1_LEAD = 0xc2;
const LEAD = Uint8Array.of(C1_LEAD);

/** `string_escape`: after an ESC, which ends a string whatever follows. */
type State = "ground" | "escape" | "csi" | "string" | "string_escape";

export class SequenceScanner {
  readonly #handler: SequenceHandler;
  readonly #keep: number;
  readonly #watched: readonly number[];
  readonly #nextWatched: readonly NextByte[];
  readonly #nextEscape = new NextByte(ESC);
  readonly #nextLead = new NextByte(C1_LEAD);
  readonly #nextBell = new NextByte(BEL);
  readonly #nextCancel = new NextByte(CAN);
  readonly #nextSubstitute = new NextByte(SUB);
  readonly #characters = new CharacterBoundary();
  readonly #sequence = new Sequence();

  #state: State = "ground";
  #chunk: Uint8Array = new Uint8Array(0);
  #base = 0;
  /** The part of the open sequence's body that lies in this chunk. */
  #bodyFrom = 0;
  #bodyTo = 0;
  /** The part that came in earlier chunks. */
  #kept: Uint8Array = new Uint8Array(0);
  #keptLength = 0;
  /** An ESC sequence without intermediates so far: it may still open something longer. */
  #bare = true;
  /** Where the stream was last in the ground state: an interrupted sequence is not left by the one that follows. */
  #clear = 0;
  #interrupting = false;
  /** The stream ended in the first byte of what may be a C1 control. */
  #leadPending = false;
  /** The place of that byte, or of the ESC in `string_escape`. */
  #pendingAt = 0;

  constructor(handler: SequenceHandler, { keep = DEFAULT_KEEP, controls = [] }: ScannerOptions = {}) {
    this.#handler = handler;
    this.#keep = keep;
    this.#watched = controls;
    this.#nextWatched = controls.map((code) => new NextByte(code));
  }

  /** `base` is the chunk's offset in the stream; chunks follow one another without gaps. */
  push(base: number, chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#enter(base, chunk);
    let at = this.#leadPending ? this.#resolveLead() : 0;
    while (at < chunk.length) at = this.#step(at);
    if (this.#state !== "ground") this.#keepBody();
    this.#characters.push(base, chunk);
  }

  /** The stream up to here is text and complete sequences: it may be cut here. */
  get boundary(): number {
    return this.#state === "ground" ? this.#characters.before(this.#offset(this.#chunk.length)) : this.#clear;
  }

  /** The sequence that the stream so far ends in, or null. */
  get open(): Sequence | null {
    return this.#state === "ground" ? null : this.#sequence;
  }

  /** From here on a byte may yet turn out to begin a sequence, or to end one. */
  get undecided(): number {
    return this.#leadPending || this.#state === "string_escape" ? this.#pendingAt : this.#offset(this.#chunk.length);
  }

  #enter(base: number, chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#base = base;
    this.#bodyFrom = 0;
    this.#bodyTo = 0;
    this.#nextEscape.search(chunk);
    this.#nextLead.search(chunk);
    this.#nextBell.search(chunk);
    this.#nextCancel.search(chunk);
    this.#nextSubstitute.search(chunk);
    for (const next of this.#nextWatched) next.search(chunk);
  }

  #offset(at: number): number {
    return this.#base + at;
  }

  #step(at: number): number {
    switch (this.#state) {
      case "ground":
        return this.#ground(at);
      case "escape":
        return this.#collect(at, 0x30);
      case "csi":
        return this.#collect(at, 0x40);
      case "string":
        return this.#string(at);
      case "string_escape":
        return this.#afterStringEscape(at);
    }
  }

  #ground(from: number): number {
    let at = Math.min(this.#nextEscape.at(from), this.#nextLead.at(from));
    for (const next of this.#nextWatched) at = Math.min(at, next.at(from));
    if (at >= this.#chunk.length) return at;
    const byte = this.#chunk[at] ?? 0;
    if (byte === C1_LEAD) return this.#lead(at);
    if (byte === ESC) this.#begin(this.#offset(at), at + 1);
    else this.#handler.control?.(byte, this.#offset(at));
    return at + 1;
  }

  /** Up to the final byte, which is the first from `lowest` on. */
  #collect(from: number, lowest: number): number {
    for (let at = from; at < this.#chunk.length; at++) {
      const byte = this.#chunk[at] ?? 0;
      if (byte >= lowest && byte < DEL) return this.#final(byte, at);
      if (byte >= 0x20 && byte <= DEL) {
        if (byte < 0x30) this.#bare = false;
        this.#bodyTo = at + 1;
      } else if (byte === ESC) return this.#interrupt(at, at);
      else if (byte === CAN || byte === SUB) return this.#cancel(at);
      else if (byte === C1_LEAD) return this.#lead(at);
      else if (byte >= 0x80) return this.#endInText(at);
      else {
        this.#bodyTo = at + 1;
        if (this.#watched.includes(byte)) this.#handler.control?.(byte, this.#offset(at));
      }
    }
    return this.#chunk.length;
  }

  #final(byte: number, at: number): number {
    this.#sequence.final = byte;
    if (this.#state === "csi" || !this.#bare || !this.#opens(byte)) {
      this.#end("final", this.#offset(at + 1));
      return at + 1;
    }
    this.#bodyFrom = at + 1;
    this.#bodyTo = at + 1;
    this.#keptLength = 0;
    return at + 1;
  }

  #opens(byte: number): boolean {
    const kind = opened(byte);
    if (kind === null) return false;
    this.#sequence.kind = kind;
    this.#state = kind === "csi" ? "csi" : "string";
    if (kind !== "csi") this.#sequence.final = 0;
    return true;
  }

  #string(from: number): number {
    let at = Math.min(this.#nextEscape.at(from), this.#nextLead.at(from));
    at = Math.min(at, this.#nextCancel.at(from), this.#nextSubstitute.at(from));
    if (this.#sequence.kind === "osc") at = Math.min(at, this.#nextBell.at(from));
    this.#bodyTo = at;
    if (at >= this.#chunk.length) return at;
    const byte = this.#chunk[at];
    if (byte === C1_LEAD) return this.#lead(at);
    if (byte === BEL) this.#end("bel", this.#offset(at + 1));
    else if (byte !== ESC) return this.#cancel(at);
    else {
      this.#state = "string_escape";
      this.#pendingAt = this.#offset(at);
    }
    return at + 1;
  }

  #afterStringEscape(at: number): number {
    if (this.#chunk[at] === BACKSLASH) {
      this.#end("st", this.#offset(at + 1));
      return at + 1;
    }
    this.#end("interrupted", this.#pendingAt);
    this.#interrupting = true;
    this.#begin(this.#pendingAt, at);
    return at;
  }

  /** A byte that begins a C1 control if the next one says so, and otherwise a character. */
  #lead(at: number): number {
    const second = this.#chunk[at + 1];
    if (second === undefined) {
      this.#leadPending = true;
      this.#pendingAt = this.#offset(at);
      return at + 1;
    }
    if (isC1(second)) return this.#c1(second, this.#offset(at), at + 2);
    if (this.#state === "escape" || this.#state === "csi") return this.#endInText(at);
    if (this.#state === "string") this.#bodyTo = at + 1;
    return at + 1;
  }

  #resolveLead(): number {
    this.#leadPending = false;
    const second = this.#chunk[0] ?? 0;
    if (isC1(second)) return this.#c1(second, this.#pendingAt, 1);
    if (this.#state === "string") this.#keepBytes(LEAD, 0, 1);
    else if (this.#state !== "ground") this.#end("interrupted", this.#pendingAt);
    return 0;
  }

  /** Each is the 8-bit form of ESC and the character 0x40 below. */
  #c1(code: number, start: number, next: number): number {
    if (this.#state === "string" && code === 0x9c) {
      this.#end("st", this.#offset(next));
      return next;
    }
    if (this.#state !== "ground") {
      this.#end("interrupted", start);
      this.#interrupting = true;
    }
    this.#begin(start, next);
    return this.#final(code - 0x40, next - 1);
  }

  #interrupt(at: number, bodyTo: number): number {
    this.#bodyTo = bodyTo;
    this.#end("interrupted", this.#offset(at));
    this.#interrupting = true;
    this.#begin(this.#offset(at), at + 1);
    return at + 1;
  }

  #cancel(at: number): number {
    this.#end("canceled", this.#offset(at + 1));
    return at + 1;
  }

  /** No sequence but a string holds a character from beyond ASCII: what was begun is void, the character is text. */
  #endInText(at: number): number {
    this.#end("interrupted", this.#offset(at));
    return at;
  }

  #begin(start: number, bodyFrom: number): void {
    const sequence = this.#sequence;
    sequence.kind = "escape";
    sequence.ended = "open";
    sequence.start = start;
    sequence.truncated = false;
    if (!this.#interrupting) this.#clear = start;
    this.#interrupting = false;
    this.#state = "escape";
    this.#bare = true;
    this.#bodyFrom = bodyFrom;
    this.#bodyTo = bodyFrom;
    this.#keptLength = 0;
  }

  #end(ended: SequenceEnd, end: number): void {
    const sequence = this.#sequence;
    sequence.ended = ended;
    sequence.end = end;
    if (this.#keptLength > 0) this.#keepBody();
    else {
      sequence.bytes = this.#chunk;
      sequence.from = this.#bodyFrom;
      sequence.to = Math.min(this.#bodyTo, this.#bodyFrom + this.#keep);
      sequence.truncated = this.#bodyTo > sequence.to;
    }
    this.#state = "ground";
    this.#handler.sequence(sequence);
  }

  #keepBody(): void {
    this.#keepBytes(this.#chunk, this.#bodyFrom, this.#bodyTo);
    this.#bodyFrom = this.#bodyTo;
  }

  #keepBytes(bytes: Uint8Array, from: number, to: number): void {
    const sequence = this.#sequence;
    const length = Math.min(to - from, this.#keep - this.#keptLength);
    if (this.#keptLength + length > this.#kept.length) {
      const larger = new Uint8Array(Math.min(this.#keep, Math.max(FIRST_KEEP, 2 * (this.#keptLength + length))));
      larger.set(this.#kept.subarray(0, this.#keptLength));
      this.#kept = larger;
    }
    this.#kept.set(bytes.subarray(from, from + length), this.#keptLength);
    this.#keptLength += length;
    if (length < to - from) sequence.truncated = true;
    sequence.bytes = this.#kept;
    sequence.from = 0;
    sequence.to = this.#keptLength;
  }
}

function isC1(byte: number): boolean {
  return byte >= 0x80 && byte <= 0x9f;
}

/** What ESC and this character open. */
function opened(byte: number): SequenceKind | null {
  switch (byte) {
    case 0x5b: // [
      return "csi";
    case 0x5d: // ]
      return "osc";
    case 0x50: // P
      return "dcs";
    case 0x58: // X, SOS
    case 0x5e: // ^, PM
    case 0x5f: // _, APC
      return "private";
    default:
      return null;
  }
}
