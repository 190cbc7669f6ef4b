/**
 * Output of a command whose terminal is not raw yet: a background job's. The command's own terminal has put a carriage return before
 * each newline, and the person's puts another one: the first is taken out.
 */
const RETURN = 13;
const NEWLINE = 10;
/** A newline that belongs to a return follows it at once. */
const HELD_MS = 5;
const ONE_RETURN = Uint8Array.of(RETURN);

export class CarriageReturnFilter {
  readonly #out: (bytes: Uint8Array) => void;
  /** Set while a return waits for what follows it. */
  #held: ReturnType<typeof setTimeout> | null = null;

  constructor(out: (bytes: Uint8Array) => void) {
    this.#out = out;
  }

  /** `bytes` are lent for the call. */
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
