/** Bytes that wait, copied. */
const MOST_BYTES = 1024 * 1024;

export class Backlog {
  readonly pieces: Uint8Array[] = [];
  #bytes = 0;

  /** False when these are too many to wait: it has them all the same. */
  add(bytes: Uint8Array): boolean {
    this.pieces.push(bytes.slice());
    this.#bytes += bytes.length;
    return this.#bytes <= MOST_BYTES;
  }
}
