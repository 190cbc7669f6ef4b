/**
 * Renders output as text that is safe to print anywhere.
 *
 * Only printable characters, "\n" and "\t" come out, whatever the input and its chunking. Edits of
 * the current line are applied (returns, backspaces, erasures, moves within the line); a move to
 * another row ends the line, so that parts of a screen do not run together. Memory is bounded by
 * one line (current-line.ts) and one chunk.
 */
import { endOfAscii } from "../parser/ascii.ts";
import { EscapeParser } from "../parser/escape-parser.ts";
import { CurrentLine } from "./current-line.ts";
import { TypedLineFilter } from "./typed-line-filter.ts";
import { Pen } from "../screen/pen.ts";
import { Utf8Decoder } from "../parser/utf8-decoder.ts";

const BS = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SGR = 0x6d;

export interface TextViewOptions {
  /** Keep styles as SGR sequences of one form (pen.ts); every line ends in the default style. */
  styled?: boolean;
  /** The first row, where rows matter; a row that no terminal has means none. */
  row?: number;
}

export class TextView {
  #out = "";
  /** The part of the unfinished line that flush() returned. */
  #shown = "";
  #row: number;
  readonly #decoder = new Utf8Decoder();
  readonly #line = new CurrentLine((text) => this.#emit(text));
  readonly #parser = new EscapeParser({
    print: (codePoint) => this.#line.put(codePoint),
    control: (code) => this.#control(code),
    csi: (final, parameters, parts) => {
      if (final === SGR) this.#sgr(parameters, parts);
      else this.#csi(String.fromCharCode(final), parameters);
    },
    escape: (final) => this.#escape(String.fromCharCode(final)),
  });
  readonly #typedLines = new TypedLineFilter((codePoint) => this.#parser.push(codePoint));
  readonly #feed = (codePoint: number): void => this.#typedLines.push(codePoint);
  readonly #pen: Pen | null;

  constructor({ styled = false, row = 0 }: TextViewOptions = {}) {
    this.#pen = styled ? new Pen() : null;
    this.#row = row;
  }

  /** Returns what is final: whole lines, and the beginnings of very long ones. */
  push(bytes: Uint8Array): string {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < buffer.length) {
      // Fast path: most output is runs of ASCII, which skip both state machines.
      const end = this.#parser.ground && this.#decoder.idle && this.#typedLines.idle ? endOfAscii(buffer, at) : at;
      if (end > at) this.#line.append(buffer.toString("latin1", at, end));
      else this.#decoder.push(buffer[at] ?? 0, this.#feed);
      at = Math.max(end, at + 1);
    }
    return this.#takeOutput();
  }

  /**
   * Returns the unfinished line too, for a live reader. If it changes later, it is printed again
   * below.
   */
  flush(): string {
    const text = this.#line.peek();
    this.#emit(text);
    this.#shown = text;
    return this.#takeOutput();
  }

  end(): string {
    this.#decoder.end(this.#feed);
    this.#typedLines.end();
    this.#emit(this.#line.take());
    return this.#takeOutput();
  }

  #takeOutput(): string {
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

  /** Clearing the screen keeps the current line: it was there to be read. */
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

/** Renders a small input at once. */
export function renderText(bytes: Uint8Array): string {
  const view = new TextView();
  return view.push(bytes) + view.end();
}
