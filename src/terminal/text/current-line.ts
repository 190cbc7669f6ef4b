/**
 * The line being written. Returns, backspaces and erasures change what is there, so a progress bar is in the end what it
 * last showed.
 *
 * Almost every line is only ever appended to: such a line is a plain string, and becomes cells at its first edit. At most
 * MAX_LINE characters wait here: of a longer line the beginning is handed on, and can then no longer be changed; a return
 * to it starts a new line.
 */
import { Cells, MAX_LINE } from "./line-cells.ts";
import { RESET } from "../screen/pen.ts";

/** In parentheses, so that split() keeps it. */
const SEQUENCE = /(\x1b\[[\d;]*m)/;

export class Line {
  readonly #hand: (text: string) => void;
  #text = "";
  /** Null while the line is a plain string. */
  #cells: Cells | null = null;
  /** A carriage return that nothing followed yet: before a line feed it means nothing. */
  #returned = false;
  #handedOn = false;
  /** How what comes next looks, how what was written last does, and what of the string says so (pen.ts). */
  #pen = "";
  #written = "";
  #hidden = 0;

  /** `hand` takes the beginning of a line that grew too long. */
  constructor(hand: (text: string) => void) {
    this.#hand = hand;
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
      this.#handOn();
    }
    this.#write(rest);
  }

  /** A printable character or a tab. */
  put(codePoint: number): void {
    if (this.#returned) this.edit();
    if ((this.#cells?.column ?? this.#length) >= MAX_LINE) this.#handOn();
    if (this.#cells === null) this.#write(String.fromCodePoint(codePoint));
    else this.#cells.put(codePoint);
  }

  /** How what follows looks (pen.ts). */
  usePen(sequence: string): void {
    this.#pen = sequence;
    if (this.#cells !== null) this.#cells.pen = sequence;
  }

  carriageReturn(): void {
    this.#returned = true;
  }

  edit(): Cells {
    if (this.#returned && this.#handedOn) this.#hand(`${this.take()}\n`);
    if (this.#cells === null) {
      this.#cells = cellsOf(this.#text);
      this.#cells.pen = this.#pen;
    }
    if (this.#returned) this.#cells.moveTo(0);
    this.#returned = false;
    return this.#cells;
  }

  /** As it stands. Blanks at the end of an edited line are what erasing left, not text. */
  peek(): string {
    return this.#cells === null ? this.#closedText() : withoutTrailingBlanks(this.#cells.text());
  }

  /** As it stands; and the line starts over. */
  take(): string {
    const text = this.peek();
    this.#clear();
    this.#returned = false;
    this.#handedOn = false;
    return text;
  }

  #handOn(): void {
    this.#hand(this.#cells === null ? this.#closedText() : this.#cells.text());
    this.#clear();
    this.#handedOn = true;
  }

  /** Of the string, what is text. */
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

function cellsOf(text: string): Cells {
  const cells = new Cells();
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
