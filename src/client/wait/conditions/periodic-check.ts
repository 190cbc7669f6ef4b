/**
 * Checks a condition that has no event: soon after new output, when a program begins to wait or to
 * listen, then at growing intervals. The holder does the check, since it may inspect its
 * descendants.
 */
import { HoltError } from "../../../protocol/types/errors.ts";
import type { WatchContext } from "./condition.ts";

const FIRST_MS = 25;
const MAX_MS = 250;
/** A holder that cannot be reached may be ending, which the wait detects itself. */
const MAX_FAILURES = 5;

export class PeriodicCheck implements Disposable {
  readonly #check: () => Promise<number | null>;
  readonly #context: WatchContext;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #pause = FIRST_MS;
  #failures = 0;
  #isDisposed = false;

  /** `check` returns the milliseconds until the next check, or null for the default interval. */
  constructor(context: WatchContext, check: () => Promise<number | null>) {
    this.#context = context;
    this.#check = check;
    this.#schedule(0);
  }

  /** Called for new output. */
  checkSoon(): void {
    this.#pause = FIRST_MS;
    if (this.#timer !== null) this.#schedule(FIRST_MS);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#isDisposed ? null : setTimeout(() => void this.#run(), ms);
  }

  async #run(): Promise<void> {
    this.#timer = null;
    let wanted: number | null = null;
    try {
      wanted = await this.#check();
      this.#failures = 0;
    } catch (error) {
      if (this.#isFinal(error)) this.#context.fail(error);
    }
    this.#schedule(wanted ?? this.#pause);
    this.#pause = Math.min(this.#pause * 2, MAX_MS);
  }

  #isFinal(error: unknown): boolean {
    if (!(error instanceof HoltError)) return true;
    if (error.code === "ESESSIONCLOSED" || error.code === "ENOTFOUND") return false;
    return error.code === "EBADARGS" || ++this.#failures >= MAX_FAILURES;
  }
}
