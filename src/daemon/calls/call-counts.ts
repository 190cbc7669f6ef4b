/** Call statistics by method: number, failures, duration. */
export const BUCKETS_S = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60] as const;

export interface MethodCounts {
  calls: number;
  seconds: number;
  /** Per bucket: calls that took at most its bound and more than the previous one. */
  buckets: number[];
  failures: Map<string, number>;
}

export class CallCounts {
  readonly #methods = new Map<string, MethodCounts>();

  /** `code`: null for a successful call. */
  count(method: string, ms: number, code: string | null): void {
    const counts = this.#countsOf(method);
    counts.calls++;
    counts.seconds += ms / 1000;
    const bucket = BUCKETS_S.findIndex((most) => ms <= most * 1000);
    if (bucket >= 0) counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    if (code !== null) counts.failures.set(code, (counts.failures.get(code) ?? 0) + 1);
  }

  entries(): IterableIterator<[string, MethodCounts]> {
    return this.#methods.entries();
  }

  #countsOf(method: string): MethodCounts {
    const known = this.#methods.get(method);
    if (known !== undefined) return known;
    const made = { calls: 0, seconds: 0, buckets: BUCKETS_S.map(() => 0), failures: new Map<string, number>() };
    this.#methods.set(method, made);
    return made;
  }
}
