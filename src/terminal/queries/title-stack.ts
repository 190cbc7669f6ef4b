/** The window title, and the stack of saved titles. */
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

  /** Returns the last saved title, or the current one. */
  pop(): string {
    return this.#saved.pop() ?? this.#title;
  }

  reset(): void {
    this.#saved.length = 0;
  }
}
