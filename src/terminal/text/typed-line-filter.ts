/**
 * A line that holt types at a shell's prompt to give it a command (holder/shell/as-typed.ts) is taken off the screen again before anybody reads it there. Here it is kept
 * from whoever reads text: in the stream it is what stands between the place that was kept for it, rows made below and a way back up (IND, CUU, DECSC), and
 * the end of its line, and it names us. Anything else between the two is what it is.
 */
const [ESC, LF, IND, BRACKET, CUU, DECSC, ZERO, NINE] = [0x1b, 0x0a, 0x44, 0x5b, 0x41, 0x37, 0x30, 0x39];
const NAME = "__holt";
/** It is much shorter. */
const MAX_HELD = 2048;

/** What of the kept place has been seen: nothing, ESC, IND, the beginning of CUU, CUU, the ESC of DECSC, all of it. */
type Seen = "nothing" | "escape" | "row" | "back" | "up" | "last" | "place";

export class TypedLineFilter {
  readonly #feed: (codePoint: number) => void;
  #held: number[] = [];
  #seen: Seen = "nothing";
  #placeLength = 0;

  constructor(feed: (codePoint: number) => void) {
    this.#feed = feed;
  }

  get idle(): boolean {
    return this.#seen === "nothing";
  }

  push(codePoint: number): void {
    if (this.#seen === "nothing" && codePoint !== ESC) return this.#feed(codePoint);
    if (this.#seen === "place") return this.#within(codePoint);
    const next = this.#next(codePoint);
    if (next === "nothing") {
      this.#release();
      return codePoint === ESC ? this.push(codePoint) : this.#feed(codePoint);
    }
    this.#seen = next;
    this.#held.push(codePoint);
    if (next === "place") this.#placeLength = this.#held.length;
  }

  end(): void {
    if (this.#isOurs) this.#forget();
    else this.#release();
  }

  #within(codePoint: number): void {
    if (codePoint !== LF && this.#held.length < MAX_HELD) this.#held.push(codePoint);
    else {
      this.end();
      this.#feed(codePoint);
    }
  }

  #next(codePoint: number): Seen {
    switch (this.#seen) {
      case "nothing":
        return "escape"; // it is one
      case "escape":
        if (codePoint === IND) return "row";
        return codePoint === BRACKET && this.#held.length > 2 ? "back" : "nothing";
      case "row":
        return codePoint === ESC ? "escape" : "nothing";
      case "back":
        if (codePoint >= ZERO && codePoint <= NINE) return "back";
        return codePoint === CUU ? "up" : "nothing";
      case "up":
        return codePoint === ESC ? "last" : "nothing";
      default:
        return codePoint === DECSC ? "place" : "nothing";
    }
  }

  get #isOurs(): boolean {
    return this.#seen === "place" && String.fromCodePoint(...this.#held.slice(this.#placeLength)).includes(NAME);
  }

  #forget(): void {
    this.#held = [];
    this.#seen = "nothing";
  }

  #release(): void {
    const held = this.#held;
    this.#forget();
    for (const codePoint of held) this.#feed(codePoint);
  }
}
