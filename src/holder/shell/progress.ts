/**
 * Where an integrated shell is, as its marks and what is typed tell: at its prompt, or running what. Whoever waits for another state is told of each change.
 */
import type { ShellName, ShellOutcome } from "../../protocol/types/shell-command.ts";
import { shellMark, type ShellMark } from "../../terminal/queries/shell-mark.ts";
import type { ShellHost } from "./shell-host.ts";
import { type CommandStart, recordStart, recordEnd, shellOutcome, type RunningCommand } from "./running-command.ts";

/** It is about to show its prompt, or shows it (`isDrawn`): between the mark and that come the person's own hooks, and the prompt's own commands. */
interface AtPrompt {
  kind: "prompt";
  typed: number;
  isDrawn: boolean;
}

type State =
  | { kind: "starting" }
  | AtPrompt
  /** A command was given and not taken yet. `line` began: it may be the one that takes it. */
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
/** After one of these the line that was typed is a shell's, not an editor's. */
const LINE_ENDS: readonly (number | undefined)[] = [CTRL_C, 10, 13];
/** What was typed while a command ran may be a command of its own, which the shell reads at once. */
export const AHEAD_MS = 30;
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

  /** Of the last one that was shown. */
  get prompt(): number {
    return this.#prompt;
  }

  /** Since the last command was given: some of it may not have been read, or be a line that is not finished. */
  get isTypedInto(): boolean {
    return this.#isTypedInto;
  }

  get isWithinLine(): boolean {
    return this.#isWithinLine;
  }

  get timesTyped(): number {
    return this.#timesTyped;
  }

  /** The prompt is drawn and the shell reads, with nothing typed there, and nothing that is still to be read. */
  isAtPrompt(): boolean {
    const state = this.#state;
    if (state.kind !== "prompt" || state.typed > 0) return false;
    // In this order: poll(2) makes the terminal hand over what is on its way, and a shell that is handed something does not sleep any more.
    if (this.#isTypedInto && this.#host.hasUnread()) return false;
    state.isDrawn ||= this.#host.isReading();
    if (!state.isDrawn) return false;
    if (!this.#isTypedInto) return true;
    return performance.now() - this.#promptAt >= AHEAD_MS && this.#host.isEditing();
  }

  /** OSC 133, as it is printed. */
  marked(text: string, start: number, end: number): void {
    const mark = shellMark(text);
    if (mark === null || mark.key !== this.#host.key || this.#state.kind === "closed") return;
    if (mark.kind === "prompt") this.#prompted(mark, end);
    // A transcript that is printed again is not taken for what happens.
    else if (mark.prompt !== this.#prompt) return;
    else if (mark.kind === "begin") this.#began(mark, end);
    else this.#finished(mark, start);
    this.changes.notify();
  }

  typed(bytes: Uint8Array): void {
    this.#timesTyped++;
    if (this.#state.kind === "submitted") return;
    this.#isTypedInto = true;
    this.#isWithinLine = !LINE_ENDS.includes(bytes.at(-1));
    if (this.#state.kind !== "prompt") return;
    if (bytes.at(-1) === CTRL_C && !this.#hasLine(this.#state)) this.#dropped(this.#state);
    else this.#state.typed += bytes.length;
  }

  /** Of what was typed at its prompt, the shell has some in its line: all of it was read, and by a line editor, as others do not read half a line. */
  #hasLine({ typed }: AtPrompt): boolean {
    return typed > 0 && this.#host.isEditing() && !this.#host.hasUnread();
  }

  /**
   * Ctrl-C drops what the shell has not read. Of a line that it has a new prompt tells that it dropped it, and until then it has it: fish misses the key now and then. Without a line
   * there may be none: fish shows none then, and bash forgets a key that comes while it is about to show its prompt. What it does about it is done once it reads again.
   */
  #dropped(state: AtPrompt): void {
    state.typed = 0;
    state.isDrawn = false;
    this.#promptAt = performance.now();
  }

  /** The shell has exited, and all that it printed was seen. */
  closed(): void {
    if (this.#state.kind === "submitted") this.#state.taken(null);
    this.#state = { kind: "closed" };
    this.changes.notify();
  }

  /** At a prompt: `type` makes the shell take the command. Answers with null where another line was before it. */
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

  /** It was not taken: what was typed for it may still lie there. */
  takeBack(): void {
    if (this.#state.kind === "submitted") this.#state = { kind: "prompt", typed: 1, isDrawn: true };
  }

  /** Another shell is in its place, and comes to its first prompt. */
  restart(shell: ShellName): void {
    if (this.#state.kind === "running") this.#close(this.#state.running, null, this.#host.produced());
    this.#state = { kind: "starting" };
    this.shell = shell;
  }

  outcome(outcome: ShellOutcome["outcome"], running: RunningCommand): ShellOutcome {
    return shellOutcome(outcome, running, { cwd: this.#cwd, produced: this.#host.produced() });
  }

  #prompted(mark: ShellMark, end: number): void {
    if (mark.prompt <= this.#prompt) return;
    if (this.#state.kind === "running") this.#close(this.#state.running, null, end);
    if (this.#state.kind === "submitted") this.#state.taken(null); // another line was before ours
    this.#prompt = mark.prompt;
    this.#promptEnd = end;
    this.#promptAt = performance.now();
    this.#cwd = mark.cwd;
    this.#state = { kind: "prompt", typed: 0, isDrawn: false };
  }

  #began(mark: ShellMark, end: number): void {
    const state = this.#state;
    if (state.kind === "submitted") {
      if (!mark.isTaken) {
        // bash tells of each line, and of ours as well: what follows tells which it was.
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
    } else if (state.kind === "prompt" && !mark.isTaken) {
      this.#state = { kind: "running", running: this.#begin(this.#typedCommand(mark, end), end) };
    }
  }

  #finished(mark: ShellMark, start: number): void {
    const state = this.#state;
    if (state.kind === "running") {
      this.#close(state.running, mark.exitCode, start);
      this.#cwd = mark.cwd;
      this.#state = { kind: "ended" };
    } else if (state.kind === "submitted") {
      // Another line was before ours.
      if (state.line !== null) {
        const running = this.#begin(this.#typedCommand(state.line, state.lineStart), state.lineStart);
        this.#close(running, mark.exitCode, start);
      }
      state.taken(null);
      this.#state = { kind: "ended" };
    }
  }

  /** What bash does not remember is the last line again, if that is what the terminal shows, or nobody's business. */
  #typedCommand({ command, isUnrecorded, isCut, cwd }: ShellMark, end: number): CommandStart {
    const line = command?.split("\n", 1)[0] ?? "";
    const isTold = !isUnrecorded || (line !== "" && this.#host.shown(this.#promptEnd, end).includes(line));
    return { by: "typed", command: isTold ? command : null, cwd, isCut: isTold && isCut };
  }

  #begin(what: CommandStart, cursor: number): RunningCommand {
    return recordStart(this.#host, { ...what, prompt: this.#prompt, cursor });
  }

  #close(running: RunningCommand, exitCode: number | null, cursor: number): void {
    recordEnd(this.#host, running, { exitCode, cursor, cwd: this.#cwd });
  }
}
