/**
 * Watches a session's output for queries, modes, title, working directory and shell marks, without
 * an emulator, at the speed of capture. Every detached session with a terminal has one.
 *
 * A query is reported as soon as its last byte was seen, in order, with its answer when that does
 * not depend on the screen, otherwise with what to look up. Queries that a careful terminal refuses
 * (clipboard, title, window position) are not reported.
 */
import { textOf } from "../../protocol/types/bytes.ts";
import type { Modes } from "../../protocol/types/modes.ts";
import { deviceAttributes } from "./fixed-answers.ts";
import type { TerminalColors } from "./reported-colors.ts";
import { KeyboardFlags } from "../keys/keyboard-flags.ts";
import { ModeTracker, sameModes } from "./mode-tracker.ts";
import { oscHead } from "../parser/osc.ts";
import { PaletteTracker } from "./palette-tracker.ts";
import { csiReply, dcsReply, type Reply, type TerminalFacts } from "./query-replies.ts";
import { type Sequence, asciiTable } from "../parser/sequence.ts";
import { SequenceScanner } from "../parser/sequence-scanner.ts";
import type { StateQuery } from "./state-query.ts";
import { TitleStack } from "./title-stack.ts";
import { workingDirectory } from "./working-directory.ts";

/** `end` is the cursor just past the query. */
export type Query = { end: number; answer: Uint8Array } | { end: number; state: StateQuery };

export interface WatchHandler {
  query(query: Query): void;
  /** At most once per chunk, after its queries. */
  modesChanged(modes: Modes): void;
  title?(title: string): void;
  cwd?(cwd: string): void;
  /** OSC 133 from `start` to `end`: a mark around a shell's prompts and commands. */
  shell?(text: string, start: number, end: number): void;
  bell?(cursor: number): void;
}

export interface WatchOptions {
  colors: TerminalColors;
  version: string;
  /** The session's TERM. */
  term?: string;
}

const BEL = 0x07;
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
/** Finals of the CSI sequences that are handled here. */
const FINALS = asciiTable("chlnpqrstu");
const PUSH_TITLE = 22;
const POP_TITLE = 23;
const ICON_ONLY = 1;
const SHELL_MARK = 133;

export class TerminalWatch {
  readonly #handler: WatchHandler;
  readonly #facts: TerminalFacts;
  readonly #palette: PaletteTracker;
  readonly #modes = new ModeTracker();
  #keyboards = { main: new KeyboardFlags(), alternate: new KeyboardFlags() };
  readonly #titles = new TitleStack();
  #cwd: string | null = null;
  #scanner: SequenceScanner;
  #next = 0;

  constructor(handler: WatchHandler, { colors, version, term = "xterm-256color" }: WatchOptions) {
    this.#handler = handler;
    this.#palette = new PaletteTracker(colors);
    this.#facts = {
      version,
      term,
      isDark: () => this.#palette.isDark,
      keyboardFlags: () => this.#keyboard.flags,
      modeReport: (mode) => this.#modes.report(mode),
    };
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

  /** A replay may be cut here: everything before is text and complete sequences. */
  get boundary(): number {
    return this.#scanner.boundary;
  }

  /** After a gap, the unfinished sequence before it is dropped. */
  push(cursor: number, bytes: Uint8Array): void {
    if (cursor !== this.#next) this.#scanner = this.#newScanner();
    this.#next = cursor + bytes.length;
    const before = this.modes;
    this.#scanner.push(cursor, bytes);
    if (!sameModes(this.modes, before)) this.#handler.modesChanged(this.modes);
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
    else if (sequence.kind === "dcs") this.#reply(sequence, dcsReply(sequence, this.#facts));
  }

  #reply({ end }: Sequence, reply: Reply): void {
    if (reply instanceof Uint8Array) this.#handler.query({ end, answer: reply });
    else if (reply !== null) this.#handler.query({ end, state: reply });
  }

  #escape(sequence: Sequence): void {
    if (sequence.marks !== "") return;
    switch (String.fromCharCode(sequence.final)) {
      case "=":
        return this.#modes.keypad(true);
      case ">":
        return this.#modes.keypad(false);
      case "Z":
        return this.#reply(sequence, deviceAttributes);
      case "c":
        this.#modes.reset();
        this.#keyboards = { main: new KeyboardFlags(), alternate: new KeyboardFlags() };
        this.#titles.reset();
        return this.#palette.reset();
    }
  }

  #csi(sequence: Sequence): void {
    if (FINALS[sequence.final] === 0 || !sequence.wellFormed) return;
    const parameters = sequence.parameters();
    const [first = 0, second = 0] = parameters;
    const key = sequence.marks + String.fromCharCode(sequence.final);
    switch (key) {
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
      case ">u":
        return this.#keyboard.push(first);
      case "<u":
        return this.#keyboard.pop(first || 1);
      case "=u":
        return this.#keyboard.set(first, second || 1);
      case "t":
        if (first === PUSH_TITLE && second !== ICON_ONLY) this.#titles.push();
        if (first === POP_TITLE && second !== ICON_ONLY) this.#setTitle(this.#titles.pop());
    }
    this.#reply(sequence, csiReply(key, first, this.#facts));
  }

  /** The keyboard flags of the active screen. */
  get #keyboard(): KeyboardFlags {
    return this.modes.alternate_screen ? this.#keyboards.alternate : this.#keyboards.main;
  }

  #osc(sequence: Sequence): void {
    const head = oscHead(sequence);
    if (head === null || head.number === null) return;
    const { number } = head;
    const terminator = sequence.ended === "bel" ? "bel" : "st";
    const answer = (bytes: Uint8Array): void => this.#reply(sequence, bytes);
    if (this.#palette.osc(number, sequence.text(head.text), { terminator, answer })) return;
    const text = textOf(sequence.bytes.subarray(head.text, sequence.to)).replace(CONTROLS, "");
    if (number === 0 || number === 2) this.#setTitle(text);
    if (number === SHELL_MARK) this.#handler.shell?.(text, sequence.start, sequence.end);
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
}
