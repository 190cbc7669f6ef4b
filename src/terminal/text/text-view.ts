/**
 * The text view: what a session printed, as text that is safe to print anywhere.
 *
 * Only printable characters, "\n" and "\t" ever come out, whatever went in and however it was cut: escape sequences and
 * control characters act on this view or are dropped. What a terminal would do to the line being written is done
 * (returns, backspaces, erasures, moves within the line); a move to another row ends the line, so that the parts of a
 * screen do not run together. Memory is bounded by one line (line.ts) and one chunk.
 */
import { endOfAscii } from "../parser/ascii.ts";
import { EscapeParser } from "../parser/escape-parser.ts";
import { Line } from "./current-line.ts";
import { TypedLineFilter } from "./typed-line-filter.ts";
import { Pen } from "../screen/pen.ts";
import { Utf8Decoder } from "../parser/utf8-decoder.ts";

const BS = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SGR = 0x6d;

export interface TextViewOptions {
  /** Keep colours and the like, as SGR sequences of one form (pen.ts); no line leaves one open. */
  styled?: boolean;
  /** The row that the text begins in, where rows matter; one that no terminal has is like none. */
  row?: number;
}

export class TextView {
  #out = "";
  /** What of the unfinished line was given away by flush(). */
  #shown = "";
  #row: number;
  readonly #decoder = new Utf8Decoder();
  readonly #line = new Line((text) => this.#emit(text));
  readonly #parser = new EscapeParser({
    print: (codePoint) => this.#line.put(codePoint),
    control: (code) => this.#control(code),
    csi: (final, parameters, parts) => {
      if (final === SGR) this.#sgr(parameters, parts);
      else this.#csi(String.fromCharCode(final), parameters);
    },
    escape: (final) => this.#escape(String.fromCharCode(final)),
  });
  readonly #own = new TypedLineFilter((codePoint) => this.#parser.push(codePoint));
  readonly #feed = (codePoint: number): void => this.#own.push(codePoint);
  readonly #pen: Pen | null;

  constructor({ styled = false, row = 0 }: TextViewOptions = {}) {
    this.#pen = styled ? new Pen() : null;
    this.#row = row;
  }

  /** What is now certain: whole lines, and the beginnings of very long ones. */
  push(bytes: Uint8Array): string {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < buffer.length) {
      // Runs of ASCII are most of what there is: they skip the two state machines.
      const end = this.#parser.ground && this.#decoder.idle && this.#own.idle ? endOfAscii(buffer, at) : at;
      if (end > at) this.#line.append(buffer.toString("latin1", at, end));
      else this.#decoder.push(buffer[at] ?? 0, this.#feed);
      at = Math.max(end, at + 1);
    }
    return this.#given();
  }

  /** For a reader who is watching: also the unfinished line, as it stands. If it changes later, it is written anew below. */
  flush(): string {
    const text = this.#line.peek();
    this.#emit(text);
    this.#shown = text;
    return this.#given();
  }

  end(): string {
    this.#decoder.end(this.#feed);
    this.#own.end();
    this.#emit(this.#line.take());
    return this.#given();
  }

  #given(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  #emit(text: string): void {
    if (text.startsWith(this.#shown)) this.#out += text.slice(this.#shown.length);
    else this.#out += `\n${text}`;
    this.#shown = "";
  }

  #endLine(): void {
    this.#emit(`${this.#line.take()}\n`);
  }

  #control(code: number): void {
    if (code === LF) {
      this.#endLine();
      this.#row++;
    } else if (code === CR) this.#line.carriageReturn();
    else if (code === BS) this.#line.edit().backspace();
    else if (code === TAB) this.#line.put(TAB);
  }

  #csi(final: string, [first = 0, second = 0]: readonly number[]): void {
    const count = Math.max(1, first);
    if (final === "K") this.#eraseInLine(first);
    else if (final === "J") this.#eraseInScreen(first);
    else if (final === "G" || final === "`") this.#line.edit().moveTo(count - 1);
    else if (final === "C" || final === "a") this.#line.edit().moveBy(count);
    else if (final === "D") this.#line.edit().moveBy(-count);
    else if (final === "X") this.#line.edit().eraseCharacters(count);
    else if (final === "P") this.#line.edit().deleteCharacters(count);
    else if (final === "@") this.#line.edit().insertBlanks(count);
    else if (final === "H" || final === "f") this.#moveToRow(count - 1, Math.max(1, second) - 1);
    else if (final === "d") this.#moveToRow(count - 1);
    else if (final === "A") this.#moveToRow(this.#row - count);
    else if (final === "B" || final === "e") this.#moveToRow(this.#row + count);
    else if (final === "F") this.#moveToRow(this.#row - count, 0);
    else if (final === "E") this.#moveToRow(this.#row + count, 0);
  }

  #sgr(parameters: readonly number[], parts: number): void {
    if (this.#pen === null) return;
    this.#pen.apply(parameters, parts);
    this.#line.usePen(this.#pen.sequence);
  }

  /** IND, NEL and RI move by a row. */
  #escape(final: string): void {
    if (final === "D") this.#moveToRow(this.#row + 1);
    else if (final === "E") this.#moveToRow(this.#row + 1, 0);
    else if (final === "M") this.#moveToRow(this.#row - 1);
  }

  #eraseInLine(what: number): void {
    const cells = this.#line.edit();
    if (what === 0) cells.eraseToEnd();
    else if (what === 1) cells.eraseToStart();
    else if (what === 2) cells.eraseAll();
  }

  /** A screen that is cleared was there to be read: its line is kept. */
  #eraseInScreen(what: number): void {
    if (what === 0) this.#eraseInLine(0);
    else if (!this.#line.isEmpty) this.#endLine();
  }

  #moveToRow(row: number, column: number | null = null): void {
    const target = column ?? this.#line.edit().column;
    if (row !== this.#row && !this.#line.isEmpty) this.#endLine();
    this.#row = row;
    this.#line.edit().moveTo(target);
  }
}

/** All at once, for what is small. */
export function textOf(bytes: Uint8Array): string {
  const view = new TextView();
  return view.push(bytes) + view.end();
}
