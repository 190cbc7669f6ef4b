/** Who came in with a key is told when it opens nothing any more. What others may change on disk is looked at while anybody waits for that. */
const LOOK_MS = 1000;

export class Revocations {
  readonly #look: () => void;
  /** Those to tell, by the key that they came with. */
  readonly #told = new Map<string, Set<() => void>>();
  #looking: ReturnType<typeof setInterval> | null = null;

  constructor(look: () => void) {
    this.#look = look;
  }

  add(tokenId: string, told: () => void): Disposable {
    const all = this.#told.get(tokenId) ?? new Set();
    this.#told.set(tokenId, all.add(told));
    this.#looking ??= setInterval(this.#look, LOOK_MS).unref();
    return {
      [Symbol.dispose]: () => {
        all.delete(told);
        if (all.size === 0 && this.#told.get(tokenId) === all) this.#told.delete(tokenId);
        if (this.#told.size === 0) this.#rest();
      },
    };
  }

  readonly isAwaited = (tokenId: string): boolean => this.#told.has(tokenId);

  /** Whether there was anybody to tell. */
  tell(tokenId: string): boolean {
    const told = this.#told.get(tokenId);
    for (const tell of told ?? []) tell();
    return told !== undefined;
  }

  #rest(): void {
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#looking = null;
  }
}
