/**
 * Collapses repeated lines into one line with a count. Lines that differ only in a spinner's
 * character count as repeats; the last one is kept.
 */
export interface Repeatable {
  /** Lines of different channels do not repeat each other; null: never a repeat. */
  channel: string | null;
  start: number;
  end: number;
  text: string;
}

/** One line of the answer, for one or many printed lines. */
export interface CollapsedLine<Line extends Repeatable> {
  /** The last and the first printed line. */
  line: Line;
  first: Line;
  text: string;
  /** The count at the end of the text; empty for one line. */
  mark: string;
  start: number;
  end: number;
  /** Number of printed lines. */
  count: number;
}

/** Fewer repeats stay as they are: that is shorter, and source code repeats `}`. */
const MIN_REPEATS = 3;
/**
 * Spinner characters: braille, blocks and circles anywhere, dashes and slashes only alone at an
 * end.
 */
const SPINNER =
  /[\u2800-\u28ff\u25d0-\u25d7\u25dc-\u25df\u2596-\u259f\u25e2-\u25e5\u25f0-\u25f7]|^\s*[-\\|/](?=\s)|(?<=\s)[-\\|/]\s*$/gu;

export class RepeatCollapser<Line extends Repeatable> {
  readonly #isBackwards: boolean;
  /** The first two repeats; `#last` is the last. */
  #first: Line[] = [];
  #last: Line | null = null;
  #count = 0;

  /** Backwards: the last line comes first. */
  constructor(direction: "forwards" | "backwards") {
    this.#isBackwards = direction === "backwards";
  }

  /** Returns the lines that are final. */
  push(line: Line): CollapsedLine<Line>[] {
    const collapsed = this.#last !== null && isAlike(line, this.#last) ? [] : this.end();
    if (this.#first.length < MIN_REPEATS - 1) this.#first.push(line);
    this.#last = line;
    this.#count++;
    return collapsed;
  }

  end(): CollapsedLine<Line>[] {
    const [first] = this.#first;
    const collapsed = first === undefined || this.#last === null ? [] : this.#collapse(first, this.#last);
    this.#first = [];
    this.#last = null;
    this.#count = 0;
    return collapsed;
  }

  #collapse(first: Line, last: Line): CollapsedLine<Line>[] {
    if (this.#count < MIN_REPEATS) return this.#first.map(uncollapsed);
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
