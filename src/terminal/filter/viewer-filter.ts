/**
 * Filters a session's output for an attached viewer's terminal: everything passes byte for byte,
 * except sequences that viewer-rules.ts drops and characters that character-filter.ts drops.
 * Chunking does not change the result. Undecided bytes are held back: at most the beginning of a
 * sequence; a long string passes as soon as its kind is known, and a dropped one is not kept.
 */
import { joined } from "../../protocol/types/bytes.ts";
import { CharacterFilter } from "./character-filter.ts";
import type { Sequence } from "../parser/sequence.ts";
import { SequenceScanner } from "../parser/sequence-scanner.ts";
import { type ViewerPermissions, type FilterVerdict, filterVerdict } from "./viewer-rules.ts";

const ENQ = 0x05;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const C1_LEAD = 0xc2;
const NOTHING = new Uint8Array(0);
const STRING_TERMINATOR = Uint8Array.of(0x1b, 0x5c);
/** Fits one string that sets all 256 colours. */
const KEEP = 16 * 1024;

export class ViewerFilter {
  readonly #allowed: ViewerPermissions;
  readonly #scanner = new SequenceScanner(
    { sequence: (sequence) => this.#ended(sequence), control: (_, offset) => this.#enquiry(offset) },
    { keep: KEEP, controls: [ENQ] },
  );
  readonly #characters = new CharacterFilter();
  #chunk: Uint8Array = NOTHING;
  #base = 0;
  /** Everything before this offset was sent or dropped. */
  #next = 0;
  /** Undecided bytes before this chunk, from `#heldFrom` to `#base`. */
  #held: Uint8Array[] = [];
  #heldFrom = 0;
  #out: Uint8Array[] = [];
  /** Verdict on the current string. */
  #verdict: FilterVerdict = "undecided";
  /**
   * Offset where a sent string was interrupted: it must be terminated even if the interrupting
   * sequence is dropped.
   */
  #interruptedAt = -1;
  /** Offsets of ENQ inside the current sequence. */
  #enquiries: number[] = [];
  #last = 0;

  constructor(allow: ViewerPermissions) {
    this.#allowed = allow;
  }

  /**
   * Bytes at the end of the input that are undecided, or belong to a dropped string: a new filter
   * may start before them with the same result.
   */
  get heldBytes(): number {
    const { open } = this.#scanner;
    if (open !== null && this.#verdict === "drop") return this.#base - open.start;
    return this.#held.reduce((sum, { length }) => sum + length, this.#characters.heldBytes);
  }

  push(bytes: Uint8Array): Uint8Array {
    this.#chunk = bytes;
    this.#out = [];
    this.#scanner.push(this.#base, bytes);
    this.#decideOpen();
    const { undecided, open } = this.#scanner;
    const decided = open !== null && this.#verdict === "undecided" ? open.start : undecided;
    if (open !== null && this.#verdict === "drop") this.#drop(this.#next, decided);
    else this.#emit(decided);
    this.#hold();
    this.#base += bytes.length;
    this.#chunk = NOTHING;
    const out = this.#out;
    this.#out = [];
    return out.length === 1 ? (out[0] ?? NOTHING) : joined(out);
  }

  /** Decides on the sequence that the chunk ends in. */
  #decideOpen(): void {
    const { open } = this.#scanner;
    if (open === null || this.#verdict !== "undecided") return;
    this.#verdict = filterVerdict(open, this.#allowed);
    if (this.#verdict === "drop") this.#drop(open.start, open.start);
  }

  #ended(sequence: Sequence): void {
    const verdict = this.#verdict === "undecided" ? filterVerdict(sequence, this.#allowed) : this.#verdict;
    if (verdict === "drop") {
      // The beginning may have been dropped before.
      this.#drop(Math.max(sequence.start, this.#next), sequence.end);
      if (!sequence.isString && !sequence.truncated) this.#keepControls(sequence.start, sequence.end);
    } else {
      for (const offset of this.#enquiries) this.#drop(offset, offset + 1);
      if (sequence.isString && sequence.ended === "interrupted") this.#interruptedAt = sequence.end;
    }
    this.#enquiries = [];
    this.#verdict = "undecided";
  }

  /** Drops ENQ; inside a sequence, once the sequence is known to pass. */
  #enquiry(offset: number): void {
    if (this.#scanner.isGround) this.#drop(offset, offset + 1);
    else if (this.#verdict !== "drop") this.#enquiries.push(offset);
  }

  /** Keeps the controls inside a dropped sequence: they act as if they stood before it. */
  #keepControls(from: number, to: number): void {
    for (const { piece, start } of this.#pieces()) {
      const part = piece.subarray(Math.max(0, from - start), Math.max(0, to - start));
      const controls = part.filter(isKept);
      if (controls.length > 0) this.#out.push(controls);
    }
  }

  *#pieces(): Generator<{ piece: Uint8Array; start: number }> {
    let start = this.#heldFrom;
    for (const piece of this.#held) {
      yield { piece, start };
      start += piece.length;
    }
    yield { piece: this.#chunk, start: this.#base };
  }

  #drop(from: number, to: number): void {
    this.#emit(from);
    this.#send(this.#characters.end());
    // An unfinished character must not form a C1 control with what follows.
    if (from === this.#interruptedAt || this.#last === C1_LEAD) {
      this.#out.push(STRING_TERMINATOR);
      this.#last = 0;
    }
    this.#interruptedAt = -1;
    this.#next = Math.max(this.#next, to);
  }

  /** Sends everything before `to` that was not dropped. */
  #emit(to: number): void {
    if (to <= this.#next) return;
    if (this.#held.length === 0) this.#emitPart(this.#chunk, this.#base, to);
    else for (const { piece, start } of this.#pieces()) this.#emitPart(piece, start, to);
    this.#next = to;
  }

  #emitPart(piece: Uint8Array, start: number, to: number): void {
    const from = Math.max(0, this.#next - start);
    const end = Math.min(piece.length, to - start);
    if (from >= end) return;
    this.#send(this.#characters.push(from === 0 && end === piece.length ? piece : piece.subarray(from, end)));
    this.#last = piece[end - 1] ?? 0;
  }

  #send(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#out.push(bytes);
  }

  #hold(): void {
    const from = Math.max(0, this.#next - this.#base);
    if (this.#next >= this.#base) {
      this.#held = [];
      this.#heldFrom = this.#next;
    }
    if (from < this.#chunk.length) this.#held.push(this.#chunk.slice(from));
  }
}

/** Controls that interrupt a sequence are dropped with it. */
function isKept(byte: number): boolean {
  return byte < 0x20 && byte !== ENQ && byte !== ESC && byte !== CAN && byte !== SUB;
}
