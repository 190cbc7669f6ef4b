/** So many at once in all, and so many of each: who takes all that is theirs leaves the others' alone. */
export const UNLIMITED_SLOT: Disposable = { [Symbol.dispose]() {} };

export class ConnectionSlots {
  readonly #most: number;
  readonly #perOwner: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor({ most, ofEach: perOwner }: { most: number; ofEach: number }) {
    this.#most = most;
    this.#perOwner = perOwner;
  }

  /** Null when there is none. */
  acquire(who: string): Disposable | null {
    const taken = this.#taken.get(who) ?? 0;
    if (this.#total >= this.#most || taken >= this.#perOwner) return null;
    this.#count(who, 1);
    let isIn = true;
    return {
      [Symbol.dispose]: () => {
        if (isIn) this.#count(who, -1);
        isIn = false;
      },
    };
  }

  #count(who: string, by: number): void {
    const taken = (this.#taken.get(who) ?? 0) + by;
    this.#total += by;
    if (taken > 0) this.#taken.set(who, taken);
    else this.#taken.delete(who);
  }
}
