/** A buffer that can be searched for bytes that a terminal might not show as they are (native/odd-bytes.wat says which). */
import { ODD_BYTES } from "./native/odd-bytes-code.ts";

export const SCAN_BYTES = 1024 * 1024;
/** How exactly a place is known. */
export const GROUP_BYTES = 32;
const BLANK = 0x20;

interface Program {
  memory: WebAssembly.Memory;
  odd(at: number, end: number): number;
  pair(at: number, end: number, a: number, aMask: number, b: number, bMask: number, distance: number): number;
}

/** A byte of a text, at its place in it, with the bits that do not matter set in it and in `mask`. */
export interface TextByte {
  at: number;
  byte: number;
  mask: number;
}

export class ScanBuffer {
  /** SCAN_BYTES bytes and a little more. */
  readonly buffer: Buffer;
  readonly #program: Program;

  constructor() {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.fromBase64(ODD_BYTES)));
    this.#program = exports as unknown as Program;
    this.buffer = Buffer.from(this.#program.memory.buffer, 0, SCAN_BYTES + 2 * GROUP_BYTES);
  }

  /** Of the first `length` bytes, from `from` on: the start of a group of bytes in which the first odd one is; `length` where there is none. */
  find(from: number, length: number): number {
    this.buffer.fill(BLANK, length, length + 2 * GROUP_BYTES);
    const at = this.#program.odd(from, length + GROUP_BYTES);
    return Math.min(at, length);
  }

  /** Where the first stands with the second behind it, from `from` on; at least `length` where nowhere. The second may lie behind `length`. */
  pair(from: number, length: number, first: TextByte, second: TextByte): number {
    const distance = second.at - first.at;
    return this.#program.pair(from, length, first.byte, first.mask, second.byte, second.mask, distance);
  }
}
