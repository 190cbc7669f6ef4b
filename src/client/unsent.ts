/**
 * What a socket has not taken yet, in order and gathered: a million keys that nobody takes are a few buffers, and how many bytes that is, is known without looking at
 * each of them.
 */
const PIECE_BYTES = 64 * 1024;
/** What is as large as this is kept as it is. */
const LARGE_BYTES = PIECE_BYTES / 4;

/** Says how many bytes it took; less than none where it is closing. */
export type Write = (bytes: Uint8Array) => number;

export class Unsent {
  readonly #write: Write;
  readonly #pieces: Uint8Array[] = [];
  #tail: Uint8Array | null = null;
  #tailLength = 0;
  #length = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  get length(): number {
    return this.#length;
  }

  /** Behind what is there. Whether everything is sent. */
  send(bytes: Uint8Array): boolean {
    const written = this.#length === 0 ? Math.max(0, this.#write(bytes)) : 0;
    if (written < bytes.length) this.#push(bytes.subarray(written));
    return this.#length === 0;
  }

  /** As much as is taken. Whether that was everything. */
  drain(): boolean {
    while (this.#length > 0) {
      if (this.#pieces.length === 0) this.#seal();
      const head = this.#pieces[0] ?? new Uint8Array(0);
      const written = Math.max(0, this.#write(head));
      this.#length -= written;
      if (written < head.length) {
        this.#pieces[0] = head.subarray(written);
        return false;
      }
      this.#pieces.shift();
    }
    return true;
  }

  #push(bytes: Uint8Array): void {
    this.#length += bytes.length;
    if (bytes.length >= LARGE_BYTES) {
      this.#seal();
      this.#pieces.push(bytes);
      return;
    }
    if (this.#tailLength + bytes.length > PIECE_BYTES) this.#seal();
    this.#tail ??= new Uint8Array(PIECE_BYTES);
    this.#tail.set(bytes, this.#tailLength);
    this.#tailLength += bytes.length;
  }

  #seal(): void {
    if (this.#tail !== null) this.#pieces.push(this.#tail.subarray(0, this.#tailLength));
    this.#tail = null;
    this.#tailLength = 0;
  }
}
