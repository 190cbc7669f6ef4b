/** Gaps of a transcript: ranges of output that were not captured. */
export interface Gap {
  from: number;
  /** Null while the gap lasts. */
  to: number | null;
}

export interface GapNotice extends Gap {
  /** "limit", or the errno of the failed write. */
  cause: string;
}

/** Bound for a disk that keeps failing and recovering: the two oldest gaps are merged. */
const MAX_GAPS = 1024;

export class Gaps {
  readonly all: Gap[] = [];
  readonly #notify: (gap: GapNotice) => void;
  #lasting: GapNotice | null = null;

  /** `notify` is called when a gap begins and when it ends. */
  constructor(notify: (gap: GapNotice) => void) {
    this.#notify = notify;
  }

  get isIn(): boolean {
    return this.#lasting !== null;
  }

  begin(from: number, cause: string): void {
    if (this.#lasting !== null) return;
    this.#lasting = { from, to: null, cause };
    const [first, second] = this.all;
    if (this.all.length === MAX_GAPS && first && second) this.all.splice(0, 2, { from: first.from, to: second.to });
    this.all.push({ from, to: null });
    this.#notify({ ...this.#lasting });
  }

  end(to: number): void {
    const last = this.all.at(-1);
    if (this.#lasting === null || last === undefined) return;
    const ended = { ...this.#lasting, to };
    this.#lasting = null;
    last.to = to;
    this.#notify(ended);
  }
}
