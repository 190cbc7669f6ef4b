/**
 * How much of what a holder sends is taken for one client: no more than it reads, 1 MiB unread at most, and nothing while it says `pause`. What is not taken
 * stays with the holder, who treats the client as one that lags.
 */
import type { HolderFrames } from "../../client/holder/holder-frames.ts";
import { MAX_UNREAD_BYTES } from "./peer.ts";

const HANG_UP_POLL_MS = 250;

export class FlowControl implements Disposable {
  readonly #unread: () => number;
  #holder: HolderFrames | null = null;
  #isPaused = false;
  /** As the client says, who cannot keep up. */
  #isPausedByClient = false;
  /** The holder has let go of it: what is left is not much, and then that is heard. */
  #isDropped = false;
  #hangUpPoll: ReturnType<typeof setInterval> | null = null;

  constructor(unread: () => number) {
    this.#unread = unread;
  }

  get isPausedByClient(): boolean {
    return this.#isPausedByClient;
  }

  /** From now on; what was said before there was a holder holds. */
  begin(holder: HolderFrames): void {
    this.#holder = holder;
    if (this.#isPaused) this.#pause(true);
  }

  /** The client was sent something. */
  sent(): void {
    if (this.#unread() > MAX_UNREAD_BYTES && !this.#isPaused && !this.#isDropped) this.#pause(true);
  }

  pauseByClient(isHeld: boolean): void {
    this.#isPausedByClient = isHeld;
    if (isHeld) this.#pause(true);
    else this.resume();
  }

  /** If there is room again. */
  resume(): void {
    if (this.#isPaused && !this.#isPausedByClient && this.#unread() < MAX_UNREAD_BYTES / 2) this.#pause(false);
  }

  [Symbol.dispose](): void {
    if (this.#hangUpPoll !== null) clearInterval(this.#hangUpPoll);
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#holder?.pause(isPaused);
    if (this.#hangUpPoll !== null) clearInterval(this.#hangUpPoll);
    this.#hangUpPoll = isPaused ? setInterval(() => this.#checkHangUp(), HANG_UP_POLL_MS).unref() : null;
  }

  #checkHangUp(): void {
    if (this.#holder?.isHungUp !== true) return;
    this.#isDropped = true;
    this.#pause(false);
  }
}
