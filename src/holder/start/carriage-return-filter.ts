/**
 * Removes the carriage returns that the command's terminal added while the user's terminal is not
 * raw (a background job). Both terminals would add one before each newline.
 */
const RETURN = 13;
const NEWLINE = 10;
/** The newline follows the carriage return at once if they belong together. */
const HELD_MS = 5;
const ONE_RETURN = Uint8Array.of(RETURN);

export class CarriageReturnFilter {
  readonly #out: (bytes: Uint8Array) => void;
  /** Set while a carriage return waits for the next byte. */
  #held: ReturnType<typeof setTimeout> | null = null;

  constructor(out: (bytes: Uint8Array) => void) {
    this.#out = out;
  }

  /** `bytes` are valid only during the call. */
  write(bytes: Uint8Array, returns: "kept" | "removed"): void {
    if (this.#held !== null && (bytes[0] !== NEWLINE || returns === "kept")) this.flush();
    this.#drop();
    if (returns === "kept") return this.#out(bytes);
    const isOpen = bytes.at(-1) === RETURN;
    const rest = bytes.filter((byte, i) => byte !== RETURN || (bytes[i + 1] !== NEWLINE && i < bytes.length - 1));
    if (rest.length > 0) this.#out(rest);
    if (isOpen) this.#held = setTimeout(() => this.flush(), HELD_MS);
  }

  flush(): void {
    if (this.#held === null) return;
    this.#drop();
    this.#out(ONE_RETURN);
  }

  #drop(): void {
    if (this.#held !== null) clearTimeout(this.#held);
    this.#held = null;
  }
}
