/** Token bucket per key: a number of requests per second, with a burst of the same size. */
const MAX_KEYS = 10_000;

interface Bucket {
  left: number;
  at: number;
}

export class RateLimiter {
  readonly #perSecond: () => number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: () => number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request; false when the key has none left. */
  take(key: string): boolean {
    const bucket = this.#bucketOf(key);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  #bucketOf(key: string): Bucket {
    const [now, most] = [this.#now(), this.#perSecond()];
    const known = this.#buckets.get(key) ?? { left: most, at: now };
    const bucket = { left: Math.min(most, known.left + ((now - known.at) * most) / 1000), at: now };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_KEYS) this.#dropOldest();
    return bucket;
  }

  /** Drops the least recently used key. */
  #dropOldest(): void {
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
