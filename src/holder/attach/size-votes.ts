/** Chooses the session's size from the sizes of its clients, at most sixty times a second. */
import type { ClientSize, SizeRule } from "../../protocol/wire/attach.ts";

const FRAME_MS = 1000 / 60;

export class SizeVotes {
  readonly #rule: SizeRule;
  readonly #decided: (size: ClientSize) => void;
  readonly #votes = new Map<string, ClientSize>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #decidedAt = Number.NEGATIVE_INFINITY;

  constructor(rule: SizeRule, decided: (size: ClientSize) => void) {
    this.#rule = rule;
    this.#decided = decided;
  }

  vote(client: string, size: ClientSize): void {
    this.#votes.delete(client);
    this.#votes.set(client, size);
    this.#decideSoon();
  }

  withdraw(client: string): void {
    if (this.#votes.delete(client)) this.#decideSoon();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** The last change of a burst always counts. */
  #decideSoon(): void {
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#decidedAt + FRAME_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#decidedAt = performance.now();
      const size = chosenSize(this.#rule, [...this.#votes.values()]);
      if (size !== null) this.#decided(size);
    }, wait);
    this.#timer.unref();
  }
}

/** Null keeps the current size. */
export function chosenSize(rule: SizeRule, sizes: readonly ClientSize[]): ClientSize | null {
  const latest = sizes.at(-1);
  if (latest === undefined || rule === "fixed") return null;
  if (rule === "latest") return latest;
  const pick = rule === "smallest" ? Math.min : Math.max;
  const cols = pick(...sizes.map((size) => size.cols));
  const rows = pick(...sizes.map((size) => size.rows));
  // The pixel size is known only if one client has exactly the chosen columns and rows.
  return sizes.find((size) => size.cols === cols && size.rows === rows) ?? { cols, rows, width: 0, height: 0 };
}
