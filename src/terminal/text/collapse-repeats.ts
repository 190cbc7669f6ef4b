/**
 * Lines that only repeat the one before them, made one line that says how often. What a spinner shows next is a repetition too: the lines
 * differ in its sign alone, and the last one is kept.
 */
export interface Repeatable {
  /** Lines of different kinds do not repeat each other; null: never. */
  channel: string | null;
  start: number;
  end: number;
  text: string;
}

/** One line that is told, for one line that was printed or for many. */
export interface CollapsedLine<Line extends Repeatable> {
  /** The last of them, and the first. */
  line: Line;
  first: Line;
  text: string;
  /** At the end of the text: how many there were; empty for one. */
  mark: string;
  start: number;
  end: number;
  /** Of lines that were printed. */
  count: number;
}

/** Fewer are told as they are: that is shorter, and source code has its `}`. */
const LEAST = 3;
/** Braille, blocks and circles turn anywhere, dashes and slashes only where they stand alone at an end. */
const SPINNER =
  /[\u2800-\u28ff\u25d0-\u25d7\u25dc-\u25df\u2596-\u259f\u25e2-\u25e5\u25f0-\u25f7]|^\s*[-\\|/](?=\s)|(?<=\s)[-\\|/]\s*$/gu;

export class RepeatCollapser<Line extends Repeatable> {
  readonly #isBackwards: boolean;
  /** Of the lines alike: the first two, and the last. */
  #first: Line[] = [];
  #last: Line | null = null;
  #count = 0;

  /** Backwards: the lines come last first. */
  constructor(direction: "forwards" | "backwards") {
    this.#isBackwards = direction === "backwards";
  }

  /** What is certain now. */
  push(line: Line): CollapsedLine<Line>[] {
    const told = this.#last !== null && isAlike(line, this.#last) ? [] : this.end();
    if (this.#first.length < LEAST - 1) this.#first.push(line);
    this.#last = line;
    this.#count++;
    return told;
  }

  end(): CollapsedLine<Line>[] {
    const [first] = this.#first;
    const told = first === undefined || this.#last === null ? [] : this.#tell(first, this.#last);
    this.#first = [];
    this.#last = null;
    this.#count = 0;
    return told;
  }

  #tell(first: Line, last: Line): CollapsedLine<Line>[] {
    if (this.#count < LEAST) return this.#first.map(uncollapsed);
    const [early, late] = this.#isBackwards ? [last, first] : [first, last];
    const mark = `${late.text === "" ? "" : " "}⟨×${this.#count}⟩`;
    const { start } = early;
    return [{ line: late, first: early, text: late.text + mark, mark, start, end: late.end, count: this.#count }];
  }
}

function isAlike(a: Repeatable, b: Repeatable): boolean {
  if (a.channel === null || a.channel !== b.channel) return false;
  return a.text === b.text || withoutSpinner(a.text) === withoutSpinner(b.text);
}

function withoutSpinner(text: string): string {
  return text.replaceAll(SPINNER, "\u2800");
}

export function uncollapsed<Line extends Repeatable>(line: Line): CollapsedLine<Line> {
  return { line, first: line, text: line.text, mark: "", start: line.start, end: line.end, count: 1 };
}
