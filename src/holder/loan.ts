/**
 * The terminal of one who is attached, lent to the holder for the echo of a key (protocol/loan.ts). It is written to only while that key is
 * being taken, at most for as long as one waits for an echo: whoever is stopped or killed types nothing, and so lends nothing.
 */
import { LentTerminal } from "../platform/lent-terminal.ts";
import { nextCount } from "../protocol/loan.ts";

/** More is no echo, and a terminal may be slow. */
const MOST_BYTES = 2048;

export class Loan implements Disposable {
  readonly #terminal: LentTerminal;
  /** Frames that the client has something to show of. */
  #frames = 0;
  #taken = 0;
  #thread = 0;
  #isLent = false;
  /** Of what comes next, so much has been shown. */
  #alreadyShown = 0;

  private constructor(terminal: LentTerminal) {
    this.#terminal = terminal;
  }

  /** Null when it cannot be had. */
  static of(pid: number | null, descriptor: number | null): Loan | null {
    if (pid === null || descriptor === null) return null;
    const terminal = LentTerminal.open(pid, descriptor);
    return terminal === null ? null : new Loan(terminal);
  }

  /** How many were taken, and by which thread the next is. */
  get account(): { taken: number; thread: number } {
    return { taken: this.#taken, thread: this.#thread };
  }

  /** The client was sent something to show. */
  sent(): void {
    this.#frames = nextCount(this.#frames);
  }

  /** While `act` runs the terminal is ours, if all that was sent before has been shown. */
  during(shown: number, act: () => void): void {
    this.#isLent = shown === this.#frames;
    this.#taken = (this.#taken + 1) >>> 0;
    try {
      act();
    } finally {
      this.#isLent = false;
    }
  }

  /** For somebody who takes the next key in our place (relay.ts): where its echo is shown, and what the key says if it may be. */
  get terms(): { terminal: number; shown: number } {
    return { terminal: this.#terminal.fd, shown: this.#frames };
  }

  /** They took one more, with this thread. */
  relayed(thread: number): void {
    this.#thread = thread;
    this.#taken = (this.#taken + 1) >>> 0;
  }

  /** While `act` runs: of what is to be shown they have shown so much, and the rest may be, or not. */
  afterRelay(shown: number, isLent: boolean, act: () => void): void {
    this.#alreadyShown = shown;
    this.#isLent = isLent;
    try {
      act();
    } finally {
      this.#isLent = false;
      this.#alreadyShown = 0;
    }
  }

  /** What is left for the client to show. Once something is, the rest must follow it. */
  show(bytes: Uint8Array): Uint8Array {
    if (this.#alreadyShown > 0) {
      const shown = Math.min(this.#alreadyShown, bytes.length);
      this.#alreadyShown -= shown;
      return bytes.subarray(shown);
    }
    if (!this.#isLent || bytes.length > MOST_BYTES) return bytes;
    const rest = bytes.subarray(this.#terminal.write(bytes));
    if (rest.length > 0) this.#isLent = false;
    return rest;
  }

  [Symbol.dispose](): void {
    this.#terminal[Symbol.dispose]();
  }
}
