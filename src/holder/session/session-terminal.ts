/**
 * A session's terminal: screen, modes and title. In a background session the modes are read from
 * the output, and the command's queries are answered. In a foreground `run` the user's terminal
 * answers, and modes come from the emulator.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { SESSION_ENDED } from "../../protocol/wire/holder-methods.ts";
import { DEFAULT_MODES, type Modes, sharedModes } from "../../protocol/types/modes.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";
import type { Keyframe } from "../../transcript/write/keyframes.ts";
import type { Layout } from "../../transcript/layout.ts";
import type { TranscriptWriter } from "../../transcript/write/writer.ts";
import type * as Answering from "./responder.ts";
import type { ScreenKeeper } from "./screen-keeper.ts";

export interface SessionTerminalOptions {
  layout: Layout;
  id: string;
  writer: TranscriptWriter;
  /** The size at the start. */
  size: TerminalSize;
  /** The session's COLORFGBG. Null if the user's terminal answers queries. */
  background: (() => string) | null;
  reply: (bytes: Uint8Array) => void;
}

export interface ReplayedTerminal extends Keyframe {
  modes: Modes;
  title: string;
}

export function noTerminal(): never {
  throw new HoltError("EBADARGS", "this session has no terminal to attach to", {
    hint: "`holt logs -f` follows it, `holt send` writes to its stdin",
  });
}

export class SessionTerminal {
  readonly #options: SessionTerminalOptions;
  #responder: Answering.Responder | null = null;
  #size: TerminalSize;
  #keeper: ScreenKeeper | null = null;
  #loading: Promise<ScreenKeeper> | null = null;
  #isClosed = false;
  /** Called when modes or title change. */
  changed: () => void = () => {};
  /** Called for each shell mark; never if the user's terminal answers queries. */
  shellMarked: (text: string, start: number, end: number) => void = () => {};

  constructor(options: SessionTerminalOptions) {
    this.#options = options;
    this.#size = options.size;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  /** The latest known modes; without a responder, those that the emulator saw last. */
  get modes(): Modes {
    return this.#responder?.modes ?? this.#keeper?.modes ?? DEFAULT_MODES;
  }

  get title(): string {
    return this.#responder?.title ?? this.#keeper?.title ?? "";
  }

  modesNow(): Modes | Promise<Modes> {
    if (this.#options.background !== null) return this.modes;
    return this.replay(0, null).then(({ modes }) => modes);
  }

  output(cursor: number, bytes: Uint8Array): void {
    this.#responder ??= this.#createResponder();
    this.#responder?.output(cursor, bytes);
    this.#keeper?.advance();
  }

  /**
   * Loaded with the first output: without output there are no queries, and an idle session saves
   * the memory. require() instead of import(), because the bytes at hand must be processed before
   * the next ones; the build makes it a chunk of its own all the same.
   */
  #createResponder(): Answering.Responder | null {
    const { background, reply } = this.#options;
    if (background === null) return null;
    // oxlint-disable-next-line typescript/no-require-imports -- see above
    const { Responder } = require("./responder.ts") as typeof Answering;
    return new Responder(background(), {
      reply,
      screen: () => this.#screen(),
      changed: () => this.changed(),
      shellMarked: (text, start, end) => this.shellMarked(text, start, end),
    });
  }

  resized(size: TerminalSize): void {
    this.#size = size;
    this.#keeper?.resized(size);
  }

  /** A replay of all output until now, or slightly later. */
  async replay(
    scrollback: number,
    progress: ((done: number, total: number) => void) | null,
  ): Promise<ReplayedTerminal> {
    const until = this.#options.writer.produced;
    const screen = await this.#screen();
    return screen.readAt(
      until,
      (renderer) => {
        const { modes, title } = renderer.emulator;
        return { ...renderer.replay(scrollback), modes: sharedModes(modes), title };
      },
      progress,
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#keeper?.close();
  }

  #screen(): Promise<ScreenKeeper> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null; // the next request tries again
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<ScreenKeeper> {
    const screen = await import("./screen-keeper.ts");
    if (this.#isClosed) throw new HoltError("ESESSIONCLOSED", SESSION_ENDED);
    this.#keeper = new screen.ScreenKeeper(this.#options);
    return this.#keeper;
  }
}
