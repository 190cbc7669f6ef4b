/**
 * Follows a session's output for what it says to its terminal beside what it shows: questions, modes, title and working
 * directory. Without an emulator, and at the pace of capture: every detached session with a terminal has one.
 *
 * A question is reported as soon as its last byte was seen, in order, with its answer if that is always the same, and
 * otherwise with what must be looked up. Those that a careful terminal refuses (the clipboard, the title, the window's
 * place) are not reported.
 */
import { textOf } from "../protocol/bytes.ts";
import type { Modes } from "../protocol/modes.ts";
import {
  capabilities,
  colorScheme,
  deviceAttributes,
  deviceStatus,
  keyboardFlags,
  modeReport,
  operatingStatus,
  secondaryAttributes,
  terminalVersion,
  tertiaryAttributes,
} from "./answers.ts";
import type { TerminalColors } from "./colors.ts";
import { dcsHead } from "./dcs.ts";
import { KeyboardStack } from "./keyboard-stack.ts";
import { ModeTracker } from "./mode-tracker.ts";
import { oscHead } from "./osc.ts";
import { Palette } from "./palette.ts";
import { tableOf, type Sequence } from "./sequence.ts";
import { SequenceScanner } from "./sequence-scanner.ts";
import type { StateQuery } from "./state-query.ts";
import { TitleStack } from "./title-stack.ts";
import { workingDirectory } from "./working-directory.ts";

/** `end` is the cursor just past the question. */
export type Query = { end: number; answer: Uint8Array } | { end: number; state: StateQuery };

export interface WatchHandler {
  query(query: Query): void;
  /** At most once a chunk, after its questions. */
  modesChanged(modes: Modes): void;
  title?(title: string): void;
  cwd?(cwd: string): void;
  bell?(cursor: number): void;
}

export interface WatchOptions {
  colors: TerminalColors;
  version: string;
  /** The session's TERM. */
  term?: string;
}

const BEL = 0x07;
const MAX_SETTING = 16;
/** The finals of CSI sequences that mean anything here: most need no second look. */
const FINALS = tableOf("chlnpqrstu");
const SIZES: Readonly<Record<number, Extract<StateQuery, { kind: "size" }>["what"]>> = {
  14: "pixels",
  16: "cell_pixels",
  18: "cells",
  19: "screen_cells",
};

export class TerminalWatch {
  readonly #handler: WatchHandler;
  readonly #version: string;
  readonly #term: string;
  readonly #palette: Palette;
  readonly #modes = new ModeTracker();
  readonly #keyboard = new KeyboardStack();
  readonly #titles = new TitleStack();
  #cwd: string | null = null;
  #scanner: SequenceScanner;
  #next = 0;

  constructor(handler: WatchHandler, { colors, version, term = "xterm-256color" }: WatchOptions) {
    this.#handler = handler;
    this.#version = version;
    this.#term = term;
    this.#palette = new Palette(colors);
    this.#scanner = this.#newScanner();
  }

  get modes(): Modes {
    return this.#modes.modes;
  }

  get title(): string {
    return this.#titles.title;
  }

  get cwd(): string | null {
    return this.#cwd;
  }

  /** The output up to here is text and complete sequences: a replay may be cut here. */
  get boundary(): number {
    return this.#scanner.boundary;
  }

  /** After a gap in the output what was begun before it is forgotten. */
  push(cursor: number, bytes: Uint8Array): void {
    if (cursor !== this.#next) this.#scanner = this.#newScanner();
    this.#next = cursor + bytes.length;
    const before = this.modes;
    this.#scanner.push(cursor, bytes);
    if (this.modes !== before && !sameModes(this.modes, before)) this.#handler.modesChanged(this.modes);
  }

  #newScanner(): SequenceScanner {
    const sequence = (found: Sequence): void => this.#sequence(found);
    if (this.#handler.bell === undefined) return new SequenceScanner({ sequence });
    const control = (_: number, offset: number): void => this.#handler.bell?.(offset);
    return new SequenceScanner({ sequence, control }, { controls: [BEL] });
  }

  #sequence(sequence: Sequence): void {
    if (!sequence.complete || sequence.truncated) return;
    if (sequence.kind === "csi") this.#csi(sequence);
    else if (sequence.kind === "escape") this.#escape(sequence);
    else if (sequence.kind === "osc") this.#osc(sequence);
    else if (sequence.kind === "dcs") this.#dcs(sequence);
  }

  #answer(sequence: Sequence, answer: Uint8Array | null): void {
    if (answer !== null) this.#handler.query({ end: sequence.end, answer });
  }

  #ask(sequence: Sequence, state: StateQuery): void {
    this.#handler.query({ end: sequence.end, state });
  }

  #escape(sequence: Sequence): void {
    if (sequence.marks !== "") return;
    switch (String.fromCharCode(sequence.final)) {
      case "=":
        return this.#modes.keypad(true);
      case ">":
        return this.#modes.keypad(false);
      case "Z":
        return this.#answer(sequence, deviceAttributes);
      case "c":
        this.#modes.reset();
        this.#keyboard.reset();
        this.#titles.reset();
        return this.#palette.reset();
    }
  }

  #csi(sequence: Sequence): void {
    if (FINALS[sequence.final] === 0 || !sequence.wellFormed) return;
    const parameters = sequence.parameters();
    const [first = 0, second = 0] = parameters;
    const { alternate_screen } = this.modes;
    switch (sequence.marks + String.fromCharCode(sequence.final)) {
      case "?h":
        return this.#modes.set(parameters, true);
      case "?l":
        return this.#modes.set(parameters, false);
      case "?s":
        return this.#modes.save(parameters);
      case "?r":
        return this.#modes.restore(parameters);
      case "!p":
        return this.#modes.softReset();
      case "c":
        return this.#answer(sequence, first === 0 ? deviceAttributes : null);
      case ">c":
        return this.#answer(sequence, first === 0 ? secondaryAttributes : null);
      case "=c":
        return this.#answer(sequence, first === 0 ? tertiaryAttributes : null);
      case ">q":
        return this.#answer(sequence, first === 0 ? terminalVersion(this.#version) : null);
      case "n":
        if (first === 6) return this.#ask(sequence, { kind: "cursor_position", isPrivate: false });
        return this.#answer(sequence, first === 5 ? operatingStatus : null);
      case "?n":
        if (first === 6) return this.#ask(sequence, { kind: "cursor_position", isPrivate: true });
        return this.#answer(sequence, first === 996 ? colorScheme(this.#palette.isDark) : deviceStatus(first));
      case "$p":
        return this.#ask(sequence, { kind: "mode", isPrivate: false, mode: first });
      case "?$p":
        return this.#mode(sequence, first);
      case "t":
        return this.#window(sequence, first, second);
      case "?u":
        return this.#answer(sequence, keyboardFlags(this.#keyboard.flags(alternate_screen)));
      case ">u":
        return this.#keyboard.push(alternate_screen, first);
      case "<u":
        return this.#keyboard.pop(alternate_screen, first);
      case "=u":
        return this.#keyboard.set(alternate_screen, first, second);
    }
  }

  #mode(sequence: Sequence, mode: number): void {
    const value = this.#modes.report(mode);
    if (value === null) this.#ask(sequence, { kind: "mode", isPrivate: true, mode });
    else this.#answer(sequence, modeReport(mode, value));
  }

  #window(sequence: Sequence, operation: number, which: number): void {
    const what = SIZES[operation];
    const before = this.title;
    // 0 is the title and the icon's, 1 the icon's alone.
    if (operation === 22 && which !== 1) this.#titles.push();
    else if (operation === 23 && which !== 1) this.#titles.pop();
    else if (what !== undefined) this.#ask(sequence, { kind: "size", what });
    if (this.title !== before) this.#handler.title?.(this.title);
  }

  #osc(sequence: Sequence): void {
    const head = oscHead(sequence);
    if (head === null || head.number === null) return;
    const { number } = head;
    const answer = (bytes: Uint8Array): void => this.#answer(sequence, bytes);
    const terminator = sequence.ended === "bel" ? "bel" : "st";
    if (this.#palette.osc(number, sequence.text(head.text), { terminator, answer })) return;
    const text = textOf(sequence.bytes.subarray(head.text, sequence.to)).replace(CONTROLS, "");
    if (number === 0 || number === 2) this.#setTitle(text);
    const cwd = workingDirectory(number, text);
    if (cwd === null || cwd === this.#cwd) return;
    this.#cwd = cwd;
    this.#handler.cwd?.(cwd);
  }

  #setTitle(title: string): void {
    if (title === this.title) return;
    this.#titles.set(title);
    this.#handler.title?.(title);
  }

  #dcs(sequence: Sequence): void {
    const head = dcsHead(sequence);
    if (head === null) return;
    const text = sequence.text(head.data);
    if (head.kind === "+q") this.#answer(sequence, capabilities(text, this.#term));
    else if (head.kind === "$q" && text.length <= MAX_SETTING) this.#ask(sequence, { kind: "setting", setting: text });
  }
}

const CONTROLS = /[\x00-\x1f\x7f-\x9f]/g;

function sameModes(a: Modes, b: Modes): boolean {
  return (Object.keys(a) as (keyof Modes)[]).every((key) => a[key] === b[key]);
}
