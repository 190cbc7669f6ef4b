/** What takes longer than a second says how far it is: one line on stderr, on a terminal only, that is gone at the end. */
import { writeErr } from "./output.ts";
import { stderrStyle } from "./style.ts";

const PATIENCE_MS = 1000;
const EVERY_MS = 100;

export class Progress implements Disposable {
  readonly #what: string;
  readonly #isShown = stderrStyle().tty;
  #due = performance.now() + PATIENCE_MS;
  #isWritten = false;

  constructor(what: string) {
    this.#what = what;
  }

  /** `share` of the whole is done. */
  at(share: number): void {
    const now = performance.now();
    if (!this.#isShown || now < this.#due) return;
    this.#due = now + EVERY_MS;
    this.#isWritten = true;
    writeErr(`\r\x1b[K${this.#what} ${Math.floor(100 * Math.min(1, share))} %`);
  }

  [Symbol.dispose](): void {
    if (this.#isWritten) writeErr("\r\x1b[K");
  }
}
