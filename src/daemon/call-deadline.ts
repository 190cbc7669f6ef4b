/**
 * How long a call may take: until its time is up, or nobody waits for it any more. A signal is made for handlers that look at one: to make it, and to listen to it, takes longer than
 * a small call does.
 */
import type { Asking } from "../surfaces/jsonrpc/asking.ts";

export class CallDeadline implements Disposable {
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #forget: () => void;
  #controller: AbortController | null = null;
  #told: (() => void)[] = [];
  #isOver = false;

  constructor(ms: number, from: Pick<Asking, "onceGivenUp">) {
    const over = (): void => this.#end();
    this.#timer = setTimeout(over, ms);
    this.#forget = from.onceGivenUp(over);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Told at once where it is. */
  onceOver(told: () => void): void {
    if (this.#isOver) told();
    else this.#told.push(told);
  }

  /** The call has been answered. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#forget();
    this.#told = [];
  }

  #end(): void {
    this.#isOver = true;
    this.#controller?.abort();
    for (const told of this.#told.splice(0)) told();
  }
}
