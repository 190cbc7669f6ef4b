/**
 * Removes the lines that holt types at a shell's prompt (holder/shell/as-typed.ts) from the text of
 * a session. In the stream such a line stands between the place reserved for it (IND, CUU, DECSC)
 * and the end of its line, and contains NAME. Everything else passes unchanged.
 */
const [ESC, LF, IND, BRACKET, CUU, DECSC, ZERO, NINE] = [0x1b, 0x0a, 0x44, 0x5b, 0x41, 0x37, 0x30, 0x39];
const NAME = "__holt";
/** Typed lines are much shorter. */
const MAX_HELD = 2048;

/**
 * Progress in matching the reserved place: nothing, ESC, IND, the beginning of CUU, CUU, the ESC of
 * DECSC, all of it.
 */
type MatchState = "nothing" | "escape" | "row" | "back" | "up" | "last" | "place";

export class TypedLineFilter {
  readonly #feed: (codePoint: number) => void;
  #held: number[] = [];
  #matched: MatchState = "nothing";
  #placeLength = 0;

  constructor(feed: (codePoint: number) => void) {
    this.#feed = feed;
  }

  get idle(): boolean {
    return this.#matched === "nothing";
  }

  push(codePoint: number): void {
    if (this.#matched === "nothing" && codePoint !== ESC) return this.#feed(codePoint);
    if (this.#matched === "place") return this.#within(codePoint);
    const next = this.#next(codePoint);
    if (next === "nothing") {
      this.#release();
      return codePoint === ESC ? this.push(codePoint) : this.#feed(codePoint);
    }
    this.#matched = next;
    this.#held.push(codePoint);
    if (next === "place") this.#placeLength = this.#held.length;
  }

  end(): void {
    if (this.#isTypedLine) this.#discard();
    else this.#release();
  }

  #within(codePoint: number): void {
    if (codePoint !== LF && this.#held.length < MAX_HELD) this.#held.push(codePoint);
    else {
      this.end();
      this.#feed(codePoint);
    }
  }

  #next(codePoint: number): MatchState {
    switch (this.#matched) {
      case "nothing":
        return "escape"; // it is ESC
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

  get #isTypedLine(): boolean {
    return this.#matched === "place" && String.fromCodePoint(...this.#held.slice(this.#placeLength)).includes(NAME);
  }

  #discard(): void {
    this.#held = [];
    this.#matched = "nothing";
  }

  #release(): void {
    const held = this.#held;
    this.#discard();
    for (const codePoint of held) this.#feed(codePoint);
  }
}
