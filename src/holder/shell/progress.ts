/**
 * Tracks the state of an integrated shell from its marks and the input: at its prompt, or running a
 * command.
 */
import type { ShellName, ShellOutcome } from "../../protocol/types/shell-command.ts";
import { shellMark, type ShellMark } from "../../terminal/queries/shell-mark.ts";
import type { ShellHost } from "./shell-host.ts";
import { type CommandStart, recordStart, recordEnd, shellOutcome, type RunningCommand } from "./running-command.ts";

/**
 * The prompt is being drawn, or is drawn (`isDrawn`): between the mark and that, the user's hooks
 * and the commands in the prompt run.
 */
interface AtPrompt {
  kind: "prompt";
  typed: number;
  isDrawn: boolean;
}

type State =
  | { kind: "starting" }
  | AtPrompt
  /**
   * A command was submitted and not taken yet. `line` has begun: it may be the one that takes it.
   */
  | {
      kind: "submitted";
      command: string;
      line: ShellMark | null;
      lineStart: number;
      taken: (running: RunningCommand | null) => void;
    }
  | { kind: "running"; running: RunningCommand }
  /** Between the end of a command and the prompt. */
  | { kind: "ended" }
  | { kind: "closed" };

const CTRL_C = 3;
/** After one of these keys, no typed line is left in the line editor. */
const LINE_ENDS: readonly (number | undefined)[] = [CTRL_C, 10, 13];
/** Input typed while a command ran may be a command of its own, which the shell reads at once. */
export const TYPED_AHEAD_MS = 30;
const RECORDED_CHARACTERS = 4096;

/** Wakes everything that waits for the next change. */
class ChangeSignal {
  #waiting: (() => void)[] = [];

  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves at the next change, or after `ms`. */
  async next(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#waiting.push(resolve);
    await promise;
    clearTimeout(timer);
    const at = this.#waiting.indexOf(resolve);
    if (at !== -1) this.#waiting.splice(at, 1);
  }
}

export class ShellProgress {
  readonly changes = new ChangeSignal();
  shell: ShellName;
  readonly #host: ShellHost;
  #state: State = { kind: "starting" };
  #prompt = 0;
  #promptEnd = 0;
  #promptAt = 0;
  #cwd: string | null = null;
  #isTypedInto = false;
  #isWithinLine = false;
  #timesTyped = 0;

  constructor(host: ShellHost) {
    this.#host = host;
    this.shell = host.shell;
  }

  get state(): Readonly<State> {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#state.kind === "closed";
  }

  get cwd(): string | null {
    return this.#cwd;
  }

  /** The number of the last prompt. */
  get prompt(): number {
    return this.#prompt;
  }

  /**
   * Input came since the last command was submitted: some may be unread, or be an unfinished line.
   */
  get isTypedInto(): boolean {
    return this.#isTypedInto;
  }

  get isWithinLine(): boolean {
    return this.#isWithinLine;
  }

  get timesTyped(): number {
    return this.#timesTyped;
  }

  /**
   * The prompt is drawn, the shell reads keys, and there is neither typed text nor unread input.
   */
  isAtPrompt(): boolean {
    const state = this.#state;
    if (state.kind !== "prompt" || state.typed > 0) return false;
    // In this order: poll(2) makes the terminal deliver pending input, and a shell that receives
    // some is no longer asleep.
    if (this.#isTypedInto && this.#host.hasUnreadInput()) return false;
    state.isDrawn ||= this.#host.isReading();
    if (!state.isDrawn) return false;
    if (!this.#isTypedInto) return true;
    return performance.now() - this.#promptAt >= TYPED_AHEAD_MS && this.#host.isEditing();
  }

  /** An OSC 133 mark, in the order of the output. */
  marked(text: string, start: number, end: number): void {
    const mark = shellMark(text);
    if (mark === null || mark.key !== this.#host.key || this.#state.kind === "closed") return;
    if (mark.kind === "prompt") this.#onPrompt(mark, end);
    // The old marks of a transcript that is printed again are ignored.
    else if (mark.prompt !== this.#prompt) return;
    else if (mark.kind === "begin") this.#onBegin(mark, end);
    else this.#onEnd(mark, start);
    this.changes.notify();
  }

  typed(bytes: Uint8Array): void {
    this.#timesTyped++;
    if (this.#state.kind === "submitted") return;
    this.#isTypedInto = true;
    this.#isWithinLine = !LINE_ENDS.includes(bytes.at(-1));
    if (this.#state.kind !== "prompt") return;
    if (bytes.at(-1) === CTRL_C && !this.#hasLine(this.#state)) this.#dropLine(this.#state);
    else this.#state.typed += bytes.length;
  }

  /**
   * The shell has some of the input typed at its prompt in its line: all of it was read, and by a
   * line editor, since nothing else reads half a line.
   */
  #hasLine({ typed }: AtPrompt): boolean {
    return typed > 0 && this.#host.isEditing() && !this.#host.hasUnreadInput();
  }

  /**
   * Ctrl-C drops input that the shell has not read. If the shell has a line, a new prompt shows
   * that it was dropped; until then it is kept, because fish sometimes misses the key. Without a
   * line no new prompt may come: fish shows none, and bash ignores a key just before its prompt.
   * Either is done when the shell reads again.
   */
  #dropLine(state: AtPrompt): void {
    state.typed = 0;
    state.isDrawn = false;
    this.#promptAt = performance.now();
  }

  /** The shell has exited, and all its output was processed. */
  closed(): void {
    if (this.#state.kind === "submitted") this.#state.taken(null);
    this.#state = { kind: "closed" };
    this.changes.notify();
  }

  /**
   * At a prompt: `type` makes the shell take the command. Resolves with null if another line came
   * first.
   */
  submit(command: string, type: () => void): Promise<RunningCommand | null> {
    const before = this.#state;
    const { promise, resolve } = Promise.withResolvers<RunningCommand | null>();
    this.#state = { kind: "submitted", command, line: null, lineStart: 0, taken: resolve };
    try {
      type();
    } catch (error) {
      this.#state = before;
      throw error;
    }
    this.#isTypedInto = false;
    return promise;
  }

  /** The command was not taken: the line typed for it may still be there. */
  takeBack(): void {
    if (this.#state.kind === "submitted") this.#state = { kind: "prompt", typed: 1, isDrawn: true };
  }

  /** Another shell has replaced this one, and comes to its first prompt. */
  restart(shell: ShellName): void {
    if (this.#state.kind === "running") this.#close(this.#state.running, null, this.#host.produced());
    this.#state = { kind: "starting" };
    this.shell = shell;
  }

  outcome(outcome: ShellOutcome["outcome"], running: RunningCommand): ShellOutcome {
    return shellOutcome(outcome, running, { cwd: this.#cwd, produced: this.#host.produced() });
  }

  #onPrompt(mark: ShellMark, end: number): void {
    if (mark.prompt <= this.#prompt) return;
    if (this.#state.kind === "running") this.#close(this.#state.running, null, end);
    if (this.#state.kind === "submitted") this.#state.taken(null); // another line came first
    this.#prompt = mark.prompt;
    this.#promptEnd = end;
    this.#promptAt = performance.now();
    this.#cwd = mark.cwd;
    this.#state = { kind: "prompt", typed: 0, isDrawn: false };
  }

  #onBegin(mark: ShellMark, end: number): void {
    const state = this.#state;
    if (state.kind === "submitted") {
      if (!mark.isFromInbox) {
        // bash marks every line, including ours: the next mark shows which one it was.
        state.line = mark;
        state.lineStart = end;
        return;
      }
      const command = state.command.slice(0, RECORDED_CHARACTERS);
      const isCut = command.length < state.command.length;
      const running = this.#begin({ by: "exec", command, cwd: mark.cwd, isCut }, end);
      this.#state = { kind: "running", running };
      this.#host.inbox(null);
      state.taken(running);
    } else if (state.kind === "prompt" && !mark.isFromInbox) {
      this.#state = { kind: "running", running: this.#begin(this.#typedCommand(mark, end), end) };
    }
  }

  #onEnd(mark: ShellMark, start: number): void {
    const state = this.#state;
    if (state.kind === "running") {
      this.#close(state.running, mark.exitCode, start);
      this.#cwd = mark.cwd;
      this.#state = { kind: "ended" };
    } else if (state.kind === "submitted") {
      // Another line came first.
      if (state.line !== null) {
        const running = this.#begin(this.#typedCommand(state.line, state.lineStart), state.lineStart);
        this.#close(running, mark.exitCode, start);
      }
      state.taken(null);
      this.#state = { kind: "ended" };
    }
  }

  /**
   * A line that bash does not remember is reported only if it is the last line again and the
   * terminal shows it: otherwise it may be a secret.
   */
  #typedCommand({ command, isNotInHistory, isCut, cwd }: ShellMark, end: number): CommandStart {
    const line = command?.split("\n", 1)[0] ?? "";
    const isReported =
      !isNotInHistory || (line !== "" && this.#host.displayedText(this.#promptEnd, end).includes(line));
    return { by: "typed", command: isReported ? command : null, cwd, isCut: isReported && isCut };
  }

  #begin(what: CommandStart, cursor: number): RunningCommand {
    return recordStart(this.#host, { ...what, prompt: this.#prompt, cursor });
  }

  #close(running: RunningCommand, exitCode: number | null, cursor: number): void {
    recordEnd(this.#host, running, { exitCode, cursor, cwd: this.#cwd });
  }
}
