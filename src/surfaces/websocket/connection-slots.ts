/**
 * Limits how many connections are open in all and per owner, so that one owner cannot use up the
 * connections of the others.
 */
export const UNLIMITED_SLOT: Disposable = { [Symbol.dispose]() {} };

export class ConnectionSlots {
  readonly #maxTotal: number;
  readonly #maxPerOwner: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor({ total, perOwner }: { total: number; perOwner: number }) {
    this.#maxTotal = total;
    this.#maxPerOwner = perOwner;
  }

  /** Null when no slot is free. */
  acquire(owner: string): Disposable | null {
    const taken = this.#taken.get(owner) ?? 0;
    if (this.#total >= this.#maxTotal || taken >= this.#maxPerOwner) return null;
    this.#count(owner, 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#count(owner, -1);
        isHeld = false;
      },
    };
  }

  #count(owner: string, by: number): void {
    const taken = (this.#taken.get(owner) ?? 0) + by;
    this.#total += by;
    if (taken > 0) this.#taken.set(owner, taken);
    else this.#taken.delete(owner);
  }
}
