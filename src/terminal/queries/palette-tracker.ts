/** Tracks the colours that a program sets with OSC 4, 10, 11 and 12, and answers its queries. */
import { colorReport } from "./fixed-answers.ts";
import {
  isDark,
  PALETTE_SIZE,
  paletteRgb,
  parsedColor,
  type Rgb,
  reportedColor,
  type TerminalColors,
} from "./reported-colors.ts";

export type ColorAnswer = (answer: Uint8Array) => void;

const PALETTE = 4;
const RESET_PALETTE = 104;
const RESET_OFFSET = 100;
/** By OSC number. */
const NAMED: Readonly<Record<number, keyof TerminalColors>> = { 10: "foreground", 11: "background", 12: "cursor" };
const MAX_INDEX = /^\d{1,3}$/;

export class PaletteTracker {
  readonly #initial: TerminalColors;
  #named: TerminalColors;
  readonly #set = new Map<number, Rgb>();

  constructor(colors: TerminalColors) {
    this.#initial = colors;
    this.#named = colors;
  }

  get isDark(): boolean {
    return isDark(this.#named.background);
  }

  reset(): void {
    this.#named = this.#initial;
    this.#set.clear();
  }

  /** Returns false for an OSC number that is not about colours. */
  osc(
    number: number,
    text: string,
    { terminator, answer }: { terminator: "bel" | "st"; answer: ColorAnswer },
  ): boolean {
    if (number === PALETTE) this.#palette(text, (subject, color) => answer(colorReport(subject, color, terminator)));
    else if (number in NAMED)
      this.#names(number, text, (subject, color) => answer(colorReport(subject, color, terminator)));
    else if (number === RESET_PALETTE) this.#resetPalette(text);
    else if (number - RESET_OFFSET in NAMED) this.#resetName(number - RESET_OFFSET);
    else return false;
    return true;
  }

  /** Pairs of index and colour. */
  #palette(text: string, report: (subject: string, color: string) => void): void {
    const parts = text.split(";");
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const index = indexOf(parts[at]);
      if (index === null) continue;
      const spec = parts[at + 1] ?? "";
      if (spec === "?") report(`${PALETTE};${index}`, reportedColor(this.#set.get(index) ?? paletteRgb(index)));
      else {
        const color = parsedColor(spec);
        if (color !== null) this.#set.set(index, color);
      }
    }
  }

  /** Several colours apply to this number and the following ones. */
  #names(first: number, text: string, report: (subject: string, color: string) => void): void {
    for (const [place, spec] of text.split(";").entries()) {
      const name = NAMED[first + place];
      if (name === undefined) return;
      if (spec === "?") report(`${first + place}`, reportedColor(this.#named[name]));
      else {
        const color = parsedColor(spec);
        if (color !== null) this.#named = { ...this.#named, [name]: color };
      }
    }
  }

  #resetPalette(text: string): void {
    if (text === "") this.#set.clear();
    for (const part of text.split(";")) this.#set.delete(indexOf(part) ?? -1);
  }

  #resetName(number: number): void {
    const name = NAMED[number];
    if (name !== undefined) this.#named = { ...this.#named, [name]: this.#initial[name] };
  }
}

function indexOf(text: string | undefined): number | null {
  const index = text !== undefined && MAX_INDEX.test(text) ? Number(text) : PALETTE_SIZE;
  return index < PALETTE_SIZE ? index : null;
}
