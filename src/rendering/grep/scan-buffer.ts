/**
 * A buffer searched by WebAssembly for "odd" bytes: those that a terminal may not show as they are
 * (native/odd-bytes.wat lists them).
 */
import { ODD_BYTES } from "./native/odd-bytes-code.ts";

/** Size of the buffer. */
export const SCAN_BYTES = 1024 * 1024;
/** Searches report positions to this many bytes. */
export const GROUP_BYTES = 32;
const BLANK = 0x20;

interface Program {
  memory: WebAssembly.Memory;
  odd(at: number, end: number): number;
  pair(at: number, end: number, a: number, aMask: number, b: number, bMask: number, distance: number): number;
}

/**
 * A byte of a text and its index there. The bits that do not matter are set in `byte` and in
 * `mask`.
 */
export interface TextByte {
  at: number;
  byte: number;
  mask: number;
}

export class ScanBuffer {
  /** SCAN_BYTES, with room for padding. */
  readonly buffer: Buffer;
  readonly #program: Program;

  constructor() {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.fromBase64(ODD_BYTES)));
    this.#program = exports as unknown as Program;
    this.buffer = Buffer.from(this.#program.memory.buffer, 0, SCAN_BYTES + 2 * GROUP_BYTES);
  }

  /**
   * Start of the first group at or after `from` that holds an odd byte, within `length` bytes;
   * `length` when there is none.
   */
  find(from: number, length: number): number {
    this.buffer.fill(BLANK, length, length + 2 * GROUP_BYTES);
    const at = this.#program.odd(from, length + GROUP_BYTES);
    return Math.min(at, length);
  }

  /**
   * First position from `from` on of `first` with `second` at its distance; at least `length` when
   * there is none. `second` may lie past `length`.
   */
  pair(from: number, length: number, first: TextByte, second: TextByte): number {
    const distance = second.at - first.at;
    return this.#program.pair(from, length, first.byte, first.mask, second.byte, second.mask, distance);
  }
}
