/**
 * How much of what a holder sends is taken for one client: no more than it reads, 1 MiB unread at most, and nothing while it says `pause`. What is not taken
 * stays with the holder, who treats the client as one that lags.
 */
import type { HolderFrames } from "../../client/holder/holder-frames.ts";
import { MAX_UNREAD_BYTES } from "./peer.ts";

const LOOK_OUT_MS = 250;

export class Flow implements Disposable {
  readonly #unread: () => number;
  #holder: HolderFrames | null = null;
  #isPaused = false;
  /** As the client says, who cannot keep up. */
  #isHeld = false;
  /** The holder has let go of it: what is left is not much, and then that is heard. */
  #isLetGo = false;
  #lookout: ReturnType<typeof setInterval> | null = null;

  constructor(unread: () => number) {
    this.#unread = unread;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** From now on; what was said before there was a holder holds. */
  begin(holder: HolderFrames): void {
    this.#holder = holder;
    if (this.#isPaused) this.#pause(true);
  }

  /** The client was sent something. */
  sent(): void {
    if (this.#unread() > MAX_UNREAD_BYTES && !this.#isPaused && !this.#isLetGo) this.#pause(true);
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) this.#pause(true);
    else this.resume();
  }

  /** If there is room again. */
  resume(): void {
    if (this.#isPaused && !this.#isHeld && this.#unread() < MAX_UNREAD_BYTES / 2) this.#pause(false);
  }

  [Symbol.dispose](): void {
    if (this.#lookout !== null) clearInterval(this.#lookout);
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#holder?.pause(isPaused);
    if (this.#lookout !== null) clearInterval(this.#lookout);
    this.#lookout = isPaused ? setInterval(() => this.#lookOut(), LOOK_OUT_MS).unref() : null;
  }

  #lookOut(): void {
    if (this.#holder?.isHungUp !== true) return;
    this.#isLetGo = true;
    this.#pause(false);
  }
}
