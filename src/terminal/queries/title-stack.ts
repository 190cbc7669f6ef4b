/** The title of the terminal's window, and those that were put aside for later. */
const MAX_DEPTH = 10;

export class TitleStack {
  #title = "";
  readonly #saved: string[] = [];

  get title(): string {
    return this.#title;
  }

  set(title: string): void {
    this.#title = title;
  }

  push(): void {
    this.#saved.push(this.#title);
    if (this.#saved.length > MAX_DEPTH) this.#saved.shift();
  }

  /** The title to go back to. */
  pop(): string {
    return this.#saved.pop() ?? this.#title;
  }

  reset(): void {
    this.#saved.length = 0;
  }
}
