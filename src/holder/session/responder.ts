/**
 * Answers a command's terminal queries in a background session: once, in order, whether or not a
 * client is attached. Constant answers are sent at once; only the emulator knows the cursor
 * position, and later queries wait for that answer.
 */
import type { Modes } from "../../protocol/types/modes.ts";
import { colorsFrom } from "../../terminal/queries/reported-colors.ts";
import { type Query, TerminalWatch } from "../../terminal/queries/terminal-watch.ts";
import { VERSION } from "../../protocol/types/version.ts";
import type { ScreenKeeper } from "./screen-keeper.ts";

export interface ResponderOptions {
  reply: (answer: Uint8Array) => void;
  screen: () => Promise<ScreenKeeper>;
  /** Modes or title have changed. */
  changed: () => void;
  /**
   * A shell mark was printed. Called in the order of the output, after the mark is in the
   * transcript.
   */
  shellMarked: (text: string, start: number, end: number) => void;
}

/** A command that queries and never reads is not answered without limit. */
const MAX_WAITING = 1024;

export class Responder {
  readonly #options: ResponderOptions;
  readonly #watch: TerminalWatch;
  readonly #waiting: Query[] = [];
  #isWorking = false;

  /** `background` is the session's COLORFGBG. */
  constructor(background: string, options: ResponderOptions) {
    this.#options = options;
    this.#watch = new TerminalWatch(
      {
        query: (query) => this.#onQuery(query),
        modesChanged: () => options.changed(),
        title: () => options.changed(),
        shell: (text, start, end) => options.shellMarked(text, start, end),
      },
      { colors: colorsFrom(background), version: VERSION },
    );
  }

  get modes(): Modes {
    return this.#watch.modes;
  }

  get title(): string {
    return this.#watch.title;
  }

  /** Call after the bytes are in the transcript. */
  output(cursor: number, bytes: Uint8Array): void {
    this.#watch.push(cursor, bytes);
  }

  #onQuery(query: Query): void {
    if ("answer" in query && this.#waiting.length === 0) {
      this.#options.reply(query.answer);
      return;
    }
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(query);
    if (!this.#isWorking) void this.#answerWaiting();
  }

  async #answerWaiting(): Promise<void> {
    this.#isWorking = true;
    try {
      const screen = await this.#options.screen();
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        const answer = "answer" in next ? next.answer : await answerAt(screen, next);
        if (answer !== null) this.#options.reply(answer);
        this.#waiting.shift();
      }
    } catch {
      // An unreadable transcript has no screen: the queries stay unanswered.
      this.#waiting.length = 0;
    } finally {
      this.#isWorking = false;
    }
  }
}

function answerAt(
  screen: ScreenKeeper,
  { end, state }: Extract<Query, { state: unknown }>,
): Promise<Uint8Array | null> {
  return screen.readAt(end, ({ emulator }) => emulator.answer(state));
}
