/** How often one may ask: so many a second, and as many at once. Who has waited long enough is forgotten. */
const MAX_KNOWN = 10_000;

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

  /** Whether it may, which then counts. */
  take(who: string): boolean {
    const bucket = this.#bucketOf(who);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }

  #bucketOf(who: string): Bucket {
    const [now, most] = [this.#now(), this.#perSecond()];
    const known = this.#buckets.get(who) ?? { left: most, at: now };
    const bucket = { left: Math.min(most, known.left + ((now - known.at) * most) / 1000), at: now };
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > MAX_KNOWN) this.#dropOldest();
    return bucket;
  }

  /** The one who has not asked for longest. */
  #dropOldest(): void {
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
