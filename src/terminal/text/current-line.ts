/**
 * The line being written. Returns, backspaces and erasures change it, so that a progress bar ends
 * as what it showed last.
 *
 * Most lines are only appended to: a line is a string, and becomes cells at its first edit. The
 * beginning of a line over MAX_LINE characters is emitted and can no longer change; a return to it
 * starts a new line.
 */
import { LineCells, MAX_LINE } from "./line-cells.ts";
import { RESET } from "../screen/pen.ts";

/** Grouped, so that split() keeps the sequences. */
const SEQUENCE = /(\x1b\[[\d;]*m)/;

export class CurrentLine {
  readonly #emit: (text: string) => void;
  #text = "";
  /** Null while the line is a string. */
  #cells: LineCells | null = null;
  /** A pending carriage return: before a line feed it does nothing. */
  #returned = false;
  #startEmitted = false;
  /**
   * SGR sequences (pen.ts) of the next text and of the last text, and the length of the sequences
   * in `#text`.
   */
  #pen = "";
  #written = "";
  #hidden = 0;

  /** `emit` receives the beginning of a line that grew too long. */
  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  get isEmpty(): boolean {
    return this.#cells === null ? this.#text === "" : this.#cells.length === 0;
  }

  /** Printable ASCII only. */
  append(run: string): void {
    if (this.#cells !== null || this.#returned) {
      for (let at = 0; at < run.length; at++) this.put(run.charCodeAt(at));
      return;
    }
    let rest = run;
    while (this.#length + rest.length > MAX_LINE) {
      const room = Math.max(0, MAX_LINE - this.#length);
      this.#write(rest.slice(0, room));
      rest = rest.slice(room);
      this.#emitStart();
    }
    this.#write(rest);
  }

  /** A printable character or a tab. */
  put(codePoint: number): void {
    if (this.#returned) this.edit();
    if ((this.#cells?.column ?? this.#length) >= MAX_LINE) this.#emitStart();
    if (this.#cells === null) this.#write(String.fromCodePoint(codePoint));
    else this.#cells.put(codePoint);
  }

  /** Sets the style of the text that follows (pen.ts). */
  usePen(sequence: string): void {
    this.#pen = sequence;
    if (this.#cells !== null) this.#cells.pen = sequence;
  }

  carriageReturn(): void {
    this.#returned = true;
  }

  edit(): LineCells {
    if (this.#returned && this.#startEmitted) this.#emit(`${this.take()}\n`);
    if (this.#cells === null) {
      this.#cells = cellsOf(this.#text);
      this.#cells.pen = this.#pen;
    }
    if (this.#returned) this.#cells.moveTo(0);
    this.#returned = false;
    return this.#cells;
  }

  /** The line as it is now. Trailing blanks of an edited line come from erasing and are dropped. */
  peek(): string {
    return this.#cells === null ? this.#closedText() : withoutTrailingBlanks(this.#cells.text());
  }

  /** Returns the line and starts a new one. */
  take(): string {
    const text = this.peek();
    this.#clear();
    this.#returned = false;
    this.#startEmitted = false;
    return text;
  }

  #emitStart(): void {
    this.#emit(this.#cells === null ? this.#closedText() : this.#cells.text());
    this.#clear();
    this.#startEmitted = true;
  }

  /** Characters in `#text` without sequences. */
  get #length(): number {
    return this.#text.length - this.#hidden;
  }

  #write(text: string): void {
    if (this.#pen !== this.#written && text !== "") {
      const sequence = this.#pen === "" ? RESET : this.#pen;
      this.#text += sequence;
      this.#hidden += sequence.length;
      this.#written = this.#pen;
    }
    this.#text += text;
  }

  #closedText(): string {
    return this.#written === "" ? this.#text : this.#text + RESET;
  }

  #clear(): void {
    this.#text = "";
    this.#hidden = 0;
    this.#written = "";
    this.#cells = null;
  }
}

function cellsOf(text: string): LineCells {
  const cells = new LineCells();
  for (const [number, part] of text.split(SEQUENCE).entries()) {
    if (number % 2 === 1) cells.pen = part === RESET ? "" : part;
    else for (const character of part) cells.put(character.codePointAt(0) ?? 0);
  }
  return cells;
}

function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === " ") end--;
  return text.slice(0, end);
}
