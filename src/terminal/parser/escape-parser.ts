/**
 * Parses a stream of code points into text and commands: the state machine of DEC's VT500 (as drawn
 * by Paul Williams), on decoded characters, so that a byte inside a character is never taken for a
 * control.
 *
 * Skipped sequences are not stored, so long ones cost no memory. Strings (OSC, DCS, SOS, PM, APC,
 * and the title of `screen`) that never end are given up: all after MAX_STRING characters, and at a
 * line feed those that never contain one or that a single 8-bit byte opened, which is more often
 * text in another encoding than a control.
 */
import { isBidiControl } from "./bidi-controls.ts";

export interface EscapeHandler {
  print(codePoint: number): void;
  /** A C0 control other than ESC, CAN and SUB. */
  control(code: number): void;
  /**
   * A CSI sequence without private marker or intermediates. An omitted parameter is 0. Bit n of
   * `parts` is set when parameter n is a sub-parameter of the one before (a colon separates them).
   */
  csi(final: number, parameters: readonly number[], parts: number): void;
  /** ESC and one final character, or its 8-bit form. */
  escape(final: number): void;
}

type State = "ground" | "escape" | "escape_intermediate" | "csi" | "csi_ignored" | "string" | "shifted";

export const MAX_STRING = 16 * 1024 * 1024;
const MAX_PARAMETERS = 16;
const MAX_VALUE = 9999;

const BEL = 0x07;
const LF = 0x0a;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;
const code = (character: string): number => character.charCodeAt(0);

export class EscapeParser {
  #state: State = "ground";
  readonly #handler: EscapeHandler;
  #parameters: number[] = [];
  #parts = 0;
  #marked = false;
  #stringLength = 0;
  #endsAtLine = false;
  #endsAtBell = false;

  constructor(handler: EscapeHandler) {
    this.#handler = handler;
  }

  /** True between sequences: printable characters would be printed. */
  get ground(): boolean {
    return this.#state === "ground";
  }

  push(codePoint: number): void {
    if (codePoint === ESC) this.#state = "escape";
    else if (codePoint === CAN || codePoint === SUB) this.#state = "ground";
    else if (codePoint >= 0x80 && codePoint < 0xa0) this.#c1(codePoint);
    else if (this.#state === "string") this.#skip(codePoint);
    else if (codePoint < 0x20) this.#handler.control(codePoint);
    else if (codePoint === DEL) return;
    else if (isBidiControl(codePoint)) return;
    else if (this.#state === "ground") this.#handler.print(codePoint);
    else if (this.#state === "shifted") this.#state = "ground";
    else if (codePoint >= 0xa0) this.#abandon(codePoint);
    else if (this.#state === "escape") this.#escape(codePoint);
    else if (this.#state === "escape_intermediate") this.#afterIntermediate(codePoint);
    else this.#csi(codePoint);
  }

  /** A non-ASCII character voids the sequence and is text itself. */
  #abandon(codePoint: number): void {
    this.#state = "ground";
    this.#handler.print(codePoint);
  }

  #c1(control: number): void {
    // A C1 control is the 8-bit form of ESC and the character 0x40 below.
    this.#escape(control - 0x40);
    if (this.#state === "string") this.#endsAtLine = true;
  }

  #escape(final: number): void {
    if (final < 0x30) this.#state = "escape_intermediate";
    else if (final === code("[")) this.#openCsi();
    else if (final === code("]")) this.#openString({ endsAtLine: true, endsAtBell: true });
    else if (final === code("k")) this.#openString({ endsAtLine: true, endsAtBell: false });
    else if ("PX^_".includes(String.fromCharCode(final))) this.#openString({ endsAtLine: false, endsAtBell: false });
    else if (final === code("N") || final === code("O")) this.#state = "shifted";
    else {
      this.#state = "ground";
      this.#handler.escape(final);
    }
  }

  /** Character sets, DECALN and the like contain no text. */
  #afterIntermediate(codePoint: number): void {
    if (codePoint >= 0x30) this.#state = "ground";
  }

  #openCsi(): void {
    this.#state = "csi";
    this.#parameters = [0];
    this.#parts = 0;
    this.#marked = false;
  }

  #csi(codePoint: number): void {
    if (codePoint >= 0x40) {
      const known = this.#state === "csi" && !this.#marked;
      this.#state = "ground";
      if (known) this.#handler.csi(codePoint, this.#parameters, this.#parts);
    } else if (codePoint >= code("0") && codePoint <= code("9") && !this.#marked) {
      const last = this.#parameters.length - 1;
      this.#parameters[last] = Math.min(MAX_VALUE, (this.#parameters[last] ?? 0) * 10 + codePoint - code("0"));
    } else if (codePoint === code(";") || codePoint === code(":")) {
      if (codePoint === code(":")) this.#parts |= 1 << this.#parameters.length;
      if (this.#parameters.length < MAX_PARAMETERS) this.#parameters.push(0);
      else this.#state = "csi_ignored";
    } else {
      this.#marked = true;
    }
  }

  #openString(ends: { endsAtLine: boolean; endsAtBell: boolean }): void {
    this.#state = "string";
    this.#stringLength = 0;
    this.#endsAtLine = ends.endsAtLine;
    this.#endsAtBell = ends.endsAtBell;
  }

  #skip(codePoint: number): void {
    if (codePoint === BEL && this.#endsAtBell) this.#state = "ground";
    else if (codePoint === LF && this.#endsAtLine) {
      this.#state = "ground";
      this.#handler.control(LF);
    } else if (++this.#stringLength >= MAX_STRING) this.#state = "ground";
  }
}
