/**
 * The line being written. Returns, backspaces and erasures change what is there, so a progress bar is in the end what it
 * last showed.
 *
 * Almost every line is only ever appended to: such a line is a plain string, and becomes cells at its first edit. At most
 * MAX_LINE characters wait here: of a longer line the beginning is handed on, and can then no longer be changed; a return
 * to it starts a new line.
 */
import { Cells, MAX_LINE } from "./cells.ts";

export class Line {
  readonly #hand: (text: string) => void;
  #text = "";
  /** Null while the line is a plain string. */
  #cells: Cells | null = null;
  /** A carriage return that nothing followed yet: before a line feed it means nothing. */
  #returned = false;
  #handedOn = false;
  #pen = "";

  /** `hand` takes the beginning of a line that grew too long. */
  constructor(hand: (text: string) => void) {
    this.#hand = hand;
  }

  get isEmpty(): boolean {
    return this.#cells === null ? this.#text === "" : this.#cells.length === 0;
  }

  /** Printable ASCII only. */
  append(run: string): void {
    if (this.#cells !== null || this.#returned || this.#pen !== "") {
      for (let at = 0; at < run.length; at++) this.put(run.charCodeAt(at));
      return;
    }
    let rest = run;
    while (this.#text.length + rest.length > MAX_LINE) {
      const room = Math.max(0, MAX_LINE - this.#text.length);
      this.#text += rest.slice(0, room);
      rest = rest.slice(room);
      this.#handOn();
    }
    this.#text += rest;
  }

  /** A printable character or a tab. */
  put(codePoint: number): void {
    if (this.#returned) this.edit();
    if ((this.#cells?.column ?? this.#text.length) >= MAX_LINE) this.#handOn();
    if (this.#pen !== "") this.edit();
    if (this.#cells === null) this.#text += String.fromCodePoint(codePoint);
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
      this.#cells = new Cells();
      for (const character of this.#text) this.#cells.put(character.codePointAt(0) ?? 0);
      this.#cells.pen = this.#pen;
    }
    if (this.#returned) this.#cells.moveTo(0);
    this.#returned = false;
    return this.#cells;
  }

  /** As it stands. Blanks at the end of an edited line are what erasing left, not text. */
  peek(): string {
    return this.#cells === null ? this.#text : withoutTrailingBlanks(this.#cells.text());
  }

  /** As it stands; and the line starts over. */
  take(): string {
    const text = this.peek();
    this.#text = "";
    this.#cells = null;
    this.#returned = false;
    this.#handedOn = false;
    return text;
  }

  #handOn(): void {
    this.#hand(this.#cells === null ? this.#text : this.#cells.text());
    this.#text = "";
    this.#cells = null;
    this.#handedOn = true;
  }
}

function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === " ") end--;
  return text.slice(0, end);
}
