/** So many at once in all, and so many of each: who takes all that is theirs leaves the others' alone. */
export const NO_PLACE: Disposable = { [Symbol.dispose]() {} };

export class Places {
  readonly #most: number;
  readonly #ofEach: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor({ most, ofEach }: { most: number; ofEach: number }) {
    this.#most = most;
    this.#ofEach = ofEach;
  }

  /** Null when there is none. */
  enter(who: string): Disposable | null {
    const taken = this.#taken.get(who) ?? 0;
    if (this.#all >= this.#most || taken >= this.#ofEach) return null;
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
    this.#all += by;
    if (taken > 0) this.#taken.set(who, taken);
    else this.#taken.delete(who);
  }
}
