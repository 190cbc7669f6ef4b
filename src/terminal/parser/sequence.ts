/**
 * One control sequence of the stream, as the scanner reports it. The scanner reuses the object and the bytes: whoever is
 * told of a sequence takes what it needs before it returns.
 */
export type SequenceKind =
  | "escape"
  | "csi"
  | "osc"
  | "dcs"
  /** APC, PM and SOS: no terminal shows anything of them. */
  | "private";

/** What ended a sequence: its own last byte, a control that cancels (CAN, SUB), or what cannot be part of it. */
export type SequenceEnd = "open" | "final" | "bel" | "st" | "canceled" | "interrupted";

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

const MAX_PARAMETERS = 32;
const MAX_VALUE = 99_999;

export class Sequence {
  kind: SequenceKind = "escape";
  ended: SequenceEnd = "open";
  /** Offsets in the stream: of the first byte and just past the last. What interrupts it is no part of it. */
  start = 0;
  end = 0;
  /** The last byte of an escape or CSI sequence; 0 in strings. */
  final = 0;
  /** What lies between introducer and final byte or terminator: `bytes` from `from` to `to`. */
  bytes: Uint8Array = new Uint8Array(0);
  from = 0;
  to = 0;
  /** There was more than the scanner keeps. */
  truncated = false;

  /** A whole one, `ESC [` to final byte, of a chunk that lies at `base` in the stream. */
  beCsi(chunk: Uint8Array, { start, end, base }: { start: number; end: number; base: number }): void {
    this.kind = "csi";
    this.ended = "final";
    this.start = base + start;
    this.end = base + end;
    this.final = chunk[end - 1] ?? 0;
    this.bytes = chunk;
    this.from = start + 2;
    this.to = end - 1;
    this.truncated = false;
  }

  get complete(): boolean {
    return this.ended === "final" || this.ended === "bel" || this.ended === "st";
  }

  get isString(): boolean {
    return this.kind !== "csi" && this.kind !== "escape";
  }

  /** The printable ASCII of the body. Terminals skip the controls in it, and some what is no UTF-8. */
  text(from: number): string {
    let text = "";
    for (let at = from; at < this.to; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
    }
    return text;
  }

  /** A view: valid only as long as the sequence is. */
  get body(): Uint8Array {
    return this.bytes.subarray(this.from, this.to);
  }

  /** The private marker and the intermediates, in their order: all that is no parameter. */
  get marks(): string {
    let marks = "";
    for (let at = this.from; at < this.to; at++) {
      const byte = this.bytes[at] ?? 0;
      if ((byte >= 0x20 && byte < 0x30) || (byte >= 0x3c && byte < 0x7f)) marks += String.fromCharCode(byte);
    }
    return marks;
  }

  /** Every byte where the standard puts it: a marker first, intermediates last. Terminals ignore what is not. */
  get wellFormed(): boolean {
    let seen = 0;
    for (let at = this.from; at < this.to; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte < 0x20 || byte === 0x7f) continue;
      const stage = byte >= 0x3c ? 1 : byte >= 0x30 ? 2 : 3;
      if (stage < seen || (stage === 1 && seen === 1)) return false;
      seen = stage;
    }
    return true;
  }

  /** Of a CSI: at least one; one that is left out is 0. Sub-parameters are not told apart from what they belong to. */
  parameters(): number[] {
    const values = [0];
    let isSub = false;
    for (let at = this.from; at < this.to; at++) {
      const byte = this.bytes[at] ?? 0;
      const last = values.length - 1;
      if (byte === SEMICOLON) {
        isSub = false;
        if (values.push(0) > MAX_PARAMETERS) break;
      } else if (byte === COLON) isSub = true;
      else if (byte >= 0x30 && byte <= 0x39 && !isSub)
        values[last] = Math.min(MAX_VALUE, (values[last] ?? 0) * 10 + byte - 0x30);
    }
    return values;
  }
}

const COLON = 0x3a;
const SEMICOLON = 0x3b;

/** A table of ASCII characters, by their codes: 1 for each of these. */
export function asciiTable(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/** The second byte of a C1 control in UTF-8. */
export function isC1(byte: number): boolean {
  return byte >= 0x80 && byte <= 0x9f;
}

/** What ESC and this character open. */
export function kindOpenedBy(byte: number): SequenceKind | null {
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
