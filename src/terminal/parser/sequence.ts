/**
 * One control sequence, as the scanner reports it. The scanner reuses the object and its bytes:
 * handlers copy what they need before they return.
 */
export type SequenceKind =
  | "escape"
  | "csi"
  | "osc"
  | "dcs"
  /** APC, PM and SOS: no terminal displays them. */
  | "private";

/**
 * How a sequence ended: by its own last byte, by a control that cancels (CAN, SUB), or by a byte
 * that cannot be part of it.
 */
export type SequenceEnd = "open" | "final" | "bel" | "st" | "canceled" | "interrupted";

export interface SequenceHandler {
  /** Also called for interrupted sequences (`complete` is false). */
  sequence(sequence: Sequence): void;
  /** One of the requested controls, in text or inside a sequence, where it takes effect as well. */
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
  /** Stream offsets of the first byte and just past the last. An interrupting byte is excluded. */
  start = 0;
  end = 0;
  /** The last byte of an escape or CSI sequence; 0 in strings. */
  final = 0;
  /** The body between introducer and final byte or terminator: `bytes` from `from` to `to`. */
  bytes: Uint8Array = new Uint8Array(0);
  from = 0;
  to = 0;
  /** The body was longer than the scanner keeps. */
  truncated = false;

  /** Sets a whole CSI sequence, `ESC [` to final byte, of a chunk at stream offset `base`. */
  setCsi(chunk: Uint8Array, { start, end, base }: { start: number; end: number; base: number }): void {
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

  /** Printable ASCII of the body. Terminals skip controls inside, and some skip invalid UTF-8. */
  text(from: number): string {
    let text = "";
    for (let at = from; at < this.to; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
    }
    return text;
  }

  /** A view, valid as long as the sequence. */
  get body(): Uint8Array {
    return this.bytes.subarray(this.from, this.to);
  }

  /** Private marker and intermediates in order: everything but parameters. */
  get marks(): string {
    let marks = "";
    for (let at = this.from; at < this.to; at++) {
      const byte = this.bytes[at] ?? 0;
      if ((byte >= 0x20 && byte < 0x30) || (byte >= 0x3c && byte < 0x7f)) marks += String.fromCharCode(byte);
    }
    return marks;
  }

  /**
   * True when marker, parameters and intermediates are in standard order. Terminals ignore other
   * sequences.
   */
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

  /** Parameters of a CSI sequence: at least one; omitted ones are 0. Sub-parameters are dropped. */
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

/** A table by ASCII code: 1 for each of these characters. */
export function asciiTable(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

/** True for the second byte of a C1 control in UTF-8. */
export function isC1(byte: number): boolean {
  return byte >= 0x80 && byte <= 0x9f;
}

/** The kind of sequence that ESC and this byte open. */
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
