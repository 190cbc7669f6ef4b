/**
 * The person's terminal, lent to the holder for the echo of what they type (protocol/loan.ts): whether it can be, and whether it is back.
 * Most keys need no thought of ours on their way: they are sent by a thread of their own (platform/key-thread.ts), where there is one.
 */
import type { KeyThread } from "../platform/key-thread.ts";
import { encodeLentInput, nextCount, NOT_LENT, type Returned } from "../protocol/loan.ts";

/** A holder that does not answer is stopped, or gone. */
const RETURN_MS = 500;
const NOTHING = new Uint8Array(0);

export interface LoanOptions {
  /** Nothing that was to be shown is still on its way to the terminal, and it shows bytes as they come. */
  isIdle: () => boolean;
  keys: () => KeyThread | null;
  send: (frame: Uint8Array) => void;
}

export class Loan {
  readonly #options: LoanOptions;
  #keys: KeyThread | null | undefined;
  #isTaken = false;
  #shown = 0;
  /** How many inputs had it, but for those that the thread has sent. */
  #given = 0;
  #taken = 0;
  #returned: () => void = () => {};

  constructor(options: LoanOptions) {
    this.#options = options;
  }

  /** Another connection. */
  begin(): void {
    this.#isTaken = false;
    this.#shown = 0;
    this.#given = -(this.#keys?.sent ?? 0);
    this.#taken = 0;
    this.#keys?.connect(null);
    this.#keys?.takenBy(0);
  }

  /** The holder takes it, on a connection of which this is the socket. */
  accepted(socket: { fd: number }): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    if (this.#keys === undefined) this.#keys = this.#options.keys();
    this.refresh();
    this.#keys?.connect(socket);
  }

  /** One more frame was given to the terminal. */
  shown(): void {
    this.#shown = nextCount(this.#shown);
    this.refresh();
  }

  /** What has been shown, or not, may have changed. */
  refresh(): void {
    this.#keys?.shown(this.#count);
  }

  /** The frame for what was typed; null where nothing is lent. */
  inputFrame(bytes: Uint8Array): Uint8Array | null {
    if (!this.#isTaken) return null;
    this.#given++;
    return encodeLentInput(this.#count, bytes);
  }

  /** So many were. */
  taken({ taken, thread }: Pick<Returned, "taken" | "thread">): void {
    this.#taken = taken;
    this.#keys?.takenBy(thread);
    if (this.#isBack) this.#returned();
  }

  /** For good. Whoever is about to write to the terminal himself waits for this; with a holder that is gone there is nothing to wait for. */
  async end(isHolderThere: boolean): Promise<void> {
    await this.#keys?.halt();
    if (!isHolderThere || !this.#isTaken || this.#isBack) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#returned = resolve;
    this.#given++;
    this.#options.send(encodeLentInput(NOT_LENT, NOTHING)); // asks for it
    await Promise.race([promise, Bun.sleep(RETURN_MS)]);
  }

  get #count(): number {
    return this.#options.isIdle() ? this.#shown : NOT_LENT;
  }

  get #isBack(): boolean {
    return (this.#given + (this.#keys?.sent ?? 0)) >>> 0 === this.#taken;
  }
}
