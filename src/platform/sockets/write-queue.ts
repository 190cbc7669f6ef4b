/**
 * A queue of bytes that a socket, pipe or terminal has not accepted yet. Small writes are gathered
 * into pieces of 64 KiB, so that a million keys need few buffers.
 */
const PIECE_BYTES = 64 * 1024;
/** Writes of at least this size become a piece of their own. */
const LARGE_BYTES = PIECE_BYTES / 4;

/** Returns the number of bytes accepted; negative while the other side closes. */
export type Write = (bytes: Uint8Array) => number;

export class WriteQueue {
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

  /**
   * Writes after the queued bytes. Returns whether the queue is empty. "lent" bytes, which the
   * caller will overwrite, are copied when queued; "given" ones are not.
   */
  send(bytes: Uint8Array, ownership: "given" | "lent" = "given"): boolean {
    const written = this.#length === 0 ? Math.max(0, this.#write(bytes)) : 0;
    if (written < bytes.length) this.#push(ownership === "lent" ? bytes.slice(written) : bytes.subarray(written));
    return this.#length === 0;
  }

  /** Writes until no more is accepted. Returns whether the queue is empty. */
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

  /** Removes and returns the queued bytes. */
  take(): Uint8Array[] {
    this.#seal();
    this.#length = 0;
    return this.#pieces.splice(0);
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
