/**
 * Flow control from a holder to one WebSocket client: reading from the holder stops when the client
 * has 1 MiB unread or sends `pause`. Unread output stays with the holder, which treats the client
 * as slow.
 */
import type { HolderFrames } from "../../client/holder/holder-frames.ts";
import { MAX_UNREAD_BYTES } from "./peer.ts";

const HANG_UP_POLL_MS = 250;

export class FlowControl implements Disposable {
  readonly #unread: () => number;
  #holder: HolderFrames | null = null;
  #isPaused = false;
  /** The client sent `pause`. */
  #isPausedByClient = false;
  /** The holder dropped the client: the little that is left is read, so that the end is seen. */
  #isDropped = false;
  #hangUpPoll: ReturnType<typeof setInterval> | null = null;

  constructor(unread: () => number) {
    this.#unread = unread;
  }

  get isPausedByClient(): boolean {
    return this.#isPausedByClient;
  }

  /** Starts flow control; a pause from before the connection still holds. */
  begin(holder: HolderFrames): void {
    this.#holder = holder;
    if (this.#isPaused) this.#pause(true);
  }

  /** Called after each message to the client. */
  sent(): void {
    if (this.#unread() > MAX_UNREAD_BYTES && !this.#isPaused && !this.#isDropped) this.#pause(true);
  }

  pauseByClient(isPaused: boolean): void {
    this.#isPausedByClient = isPaused;
    if (isPaused) this.#pause(true);
    else this.resume();
  }

  /** Continues when the client has read enough. */
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
