/**
 * A session's terminal as others see it: its screen, its modes and its title. In a session that is nobody's terminal the modes are read off
 * every byte, and the command's questions are answered; in a foreground `run` the person's own terminal does that, and who wants to know
 * asks the emulator.
 */
import { HoltError } from "../protocol/errors.ts";
import { ENDED } from "../protocol/holder-methods.ts";
import { DEFAULT_MODES, type Modes, sharedModes } from "../protocol/modes.ts";
import type { TerminalSize } from "../protocol/session.ts";
import type { Keyframe } from "../transcript/keyframes.ts";
import type { Layout } from "../transcript/layout.ts";
import type { TranscriptWriter } from "../transcript/writer.ts";
import type { Responder, ResponderNeeds } from "./responder.ts";
import type { ScreenKeeper } from "./screen-keeper.ts";

export interface SessionTerminalOptions {
  layout: Layout;
  id: string;
  writer: TranscriptWriter;
  /** As it was at the start. */
  size: TerminalSize;
  /** Null where the person's own terminal answers: then its code is not even loaded. */
  responder: MakeResponder | null;
  reply: (bytes: Uint8Array) => void;
}

export type MakeResponder = (needs: ResponderNeeds) => Responder;

export interface ReplayedTerminal extends Keyframe {
  modes: Modes;
  title: string;
}

export class SessionTerminal {
  readonly #options: SessionTerminalOptions;
  readonly #responder: Responder | null;
  #size: TerminalSize;
  #keeper: ScreenKeeper | null = null;
  #loading: Promise<ScreenKeeper> | null = null;
  #isClosed = false;
  /** Somebody wants to know when modes or title change. */
  changed: () => void = () => {};

  constructor(options: SessionTerminalOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#responder =
      options.responder?.({
        reply: options.reply,
        screen: () => this.#screen(),
        changed: () => this.changed(),
      }) ?? null;
  }

  get size(): TerminalSize {
    return this.#size;
  }

  /** Whoever wants to know what a shell says of itself. Nobody hears of it where the person's own terminal answers. */
  onShellMark(told: Responder["shellMarked"]): void {
    if (this.#responder !== null) this.#responder.shellMarked = told;
  }

  /** What they were when the emulator last looked, where nothing better is known. */
  get modes(): Modes {
    return this.#responder?.modes ?? this.#keeper?.modes ?? DEFAULT_MODES;
  }

  get title(): string {
    return this.#responder?.title ?? this.#keeper?.title ?? "";
  }

  /** The modes of this moment. */
  modesNow(): Modes | Promise<Modes> {
    if (this.#responder !== null) return this.#responder.modes;
    return this.replay(0, null).then(({ modes }) => modes);
  }

  output(cursor: number, bytes: Uint8Array): void {
    this.#responder?.output(cursor, bytes);
    this.#keeper?.advance();
  }

  resized(size: TerminalSize): void {
    this.#size = size;
    this.#keeper?.resized(size);
  }

  /** Of all that was printed until now, or a little more. */
  async replay(
    scrollback: number,
    progress: ((done: number, total: number) => void) | null,
  ): Promise<ReplayedTerminal> {
    const until = this.#options.writer.produced;
    const screen = await this.#screen();
    return screen.visit(
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
      this.#loading = null; // the next who asks may have more luck
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<ScreenKeeper> {
    const { openScreen } = await import("./open-screen.ts");
    if (this.#isClosed) throw new HoltError("ESESSIONCLOSED", ENDED);
    this.#keeper = openScreen(this.#options);
    return this.#keeper;
  }
}
