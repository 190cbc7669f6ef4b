/** Keeps a client's frames until the connection to the session's holder is open. */
export class EarlyFrames {
  readonly #maxBytes: number;
  #frames: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False when the limit is exceeded. */
  push(frame: Uint8Array): boolean {
    this.#bytes += frame.length;
    if (this.#bytes > this.#maxBytes) return false;
    this.#frames.push(frame);
    return true;
  }

  take(): Uint8Array[] {
    return this.#frames.splice(0);
  }
}
