/**
 * A session that is an integrated shell: where it is (at its prompt, or running what), what it ran, and how it is given a command.
 *
 * A command is put into the inbox, and a short line is typed that makes the shell take it from there and evaluate it at its top level: nothing
 * of it passes the terminal or the line editor, so nothing there can alter it, and what it defines stays. Its output is what lies between
 * the two marks. Only one is under way, and only at a prompt at which nobody has typed: who types there is not interfered with.
 */
import { HoltError } from "../../protocol/errors.ts";
import type { ShellName, ShellOutcome } from "../../protocol/shell-command.ts";
import { shellMark, type ShellMark } from "../../terminal/shell-mark.ts";
import { Changes } from "./changes.ts";
import type { ShellNeeds } from "./needs.ts";
import { busy, HINT, replaced, somebodyTypes } from "./refusals.ts";
import { type Begun, begun, closed, outcomeOf, type Running } from "./running.ts";

type State =
  | { kind: "starting" }
  | { kind: "prompt"; typed: number }
  /** A command was given and not taken yet. `line` began: it may be the one that takes it. */
  | {
      kind: "given";
      command: string;
      line: ShellMark | null;
      lineStart: number;
      taken: (running: Running | null) => void;
    }
  | { kind: "running"; running: Running }
  /** Between the end of a command and the prompt. */
  | { kind: "ended" }
  | { kind: "closed" };

export interface Exec {
  command: Uint8Array;
  text: string;
  timeoutMs: number;
  type: (bytes: string) => void;
}

const LINES: Record<ShellName, string> = {
  // After a command in which a quote was left open, bash knows neither an alias nor a brace at the beginning of the next line.
  bash: ' __holt_take 2>/dev/null; \\builtin eval "$__holt_command"; { __holt_done; } 2>/dev/null\r',
  zsh: " __holt\r",
  fish: " __holt_take; builtin eval $__holt_command; __holt_done\r",
};
/** Of a line that is left over from what was typed too early. After a space: readline rings the bell where there is nothing to kill. */
const KILL_LINE = " \x15";
const CTRL_C = 3;
/** After one of these the line that was typed is a shell's, not an editor's. */
const LINE_ENDS: readonly (number | undefined)[] = [CTRL_C, 10, 13];
/** A shell that takes this long to read a line does something else. */
const TAKE_MS = 5000;
const EDITING_MS = 2000;
const EDITING_LOOK_MS = 1;
const NAMED_MS = 200;
/** What was typed while a command ran may be a command of its own, which the shell reads at once. */
const AHEAD_MS = 30;
const REPLACED_LOOK_MS = 250;
const SETTLE_MS = 2000;
const RECORDED_CHARACTERS = 4096;

export class ShellSession {
  readonly #needs: ShellNeeds;
  #shell: ShellName;
  #state: State = { kind: "starting" };
  #prompt = 0;
  #promptEnd = 0;
  #promptAt = 0;
  #cwd: string | null = null;
  /** Since the last command was given: some of it may not have been read, or be a line that is not finished. */
  #isTypedInto = false;
  #isWithinLine = false;
  #joining: Promise<boolean> | null = null;
  readonly #changes = new Changes();

  constructor(needs: ShellNeeds) {
    this.#needs = needs;
    this.#shell = needs.shell;
  }

  /** OSC 133, as it is printed. */
  marked(text: string, start: number, end: number): void {
    const mark = shellMark(text);
    if (mark === null || mark.key !== this.#needs.key || this.#state.kind === "closed") return;
    if (mark.kind === "prompt") this.#prompted(mark, end);
    // A transcript that is printed again is not taken for what happens.
    else if (mark.prompt !== this.#prompt) return;
    else if (mark.kind === "begin") this.#began(mark, end);
    else this.#finished(mark, start);
    this.#changes.tell();
  }

  /** Somebody typed. */
  typed(bytes: Uint8Array): void {
    if (this.#state.kind === "given") return;
    this.#isTypedInto = true;
    this.#isWithinLine = !LINE_ENDS.includes(bytes.at(-1));
    if (this.#state.kind !== "prompt") return;
    this.#state.typed += bytes.length;
    // fish drops its line, and says so only if there was one: the terminal may have dropped what it had not read yet.
    if (this.#shell === "fish" && bytes.at(-1) === CTRL_C) this.#state.typed = 0;
  }

  /** The shell has exited, and all that it printed was seen. Whether somebody waits to hear of it. */
  closed(): boolean {
    const isAwaited = this.#changes.areAwaited || this.#state.kind === "given";
    if (this.#state.kind === "given") this.#state.taken(null);
    this.#state = { kind: "closed" };
    this.#needs.release();
    this.#changes.tell();
    return isAwaited;
  }

  async exec({ command, text, timeoutMs, type }: Exec): Promise<ShellOutcome> {
    const deadline = performance.now() + timeoutMs;
    await this.#readyFor(deadline, type);
    const running = await this.#give(command, text, type);
    while (running.end === null && this.#state.kind !== "closed") {
      const left = deadline - performance.now();
      if (left <= 0) return this.#outcome("running", running);
      if (this.#needs.isReplaced()) return this.#outcome("replaced", running);
      await this.#changes.next(Math.min(left, REPLACED_LOOK_MS));
    }
    // fish exits at the end of the line in which it was told to.
    if (this.#shell === "fish" && this.#state.kind === "ended") await this.#changes.next(SETTLE_MS);
    return this.#outcome(this.#isClosed ? "session_ended" : "done", running);
  }

  async untilPrompt(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      this.#needs.settle();
      if (this.#isAtPrompt()) return true;
      const left = deadline - performance.now();
      if (left <= 0 || this.#state.kind === "closed") return false;
      if (this.#needs.isReplaced()) throw replaced();
      await this.#changes.next(Math.min(left, this.#isTypedInto ? AHEAD_MS : REPLACED_LOOK_MS));
    }
  }

  get cwd(): string | null {
    return this.#cwd;
  }

  get #isClosed(): boolean {
    return this.#state.kind === "closed";
  }

  #isAtPrompt(): boolean {
    if (this.#state.kind !== "prompt" || this.#state.typed > 0) return false;
    if (!this.#isTypedInto) return true;
    return performance.now() - this.#promptAt >= AHEAD_MS && this.#needs.isEditing() && !this.#needs.hasUnread();
  }

  #prompted(mark: ShellMark, end: number): void {
    if (mark.prompt <= this.#prompt) return;
    if (this.#state.kind === "running") this.#close(this.#state.running, null, end);
    if (this.#state.kind === "given") this.#state.taken(null); // another line was before ours
    this.#prompt = mark.prompt;
    this.#promptEnd = end;
    this.#promptAt = performance.now();
    this.#cwd = mark.cwd;
    this.#state = { kind: "prompt", typed: 0 };
  }

  #began(mark: ShellMark, end: number): void {
    const state = this.#state;
    if (state.kind === "given") {
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
      this.#needs.inbox(null);
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
    } else if (state.kind === "given") {
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
  #typedCommand({ command, isUnrecorded, isCut, cwd }: ShellMark, end: number): Begun {
    const line = command?.split("\n", 1)[0] ?? "";
    const isTold = !isUnrecorded || (line !== "" && this.#needs.shown(this.#promptEnd, end).includes(line));
    return { by: "typed", command: isTold ? command : null, cwd, isCut: isTold && isCut };
  }

  async #readyFor(deadline: number, type: (bytes: string) => void): Promise<void> {
    let editingBy = Number.POSITIVE_INFINITY;
    for (;;) {
      this.#needs.settle();
      const { kind } = this.#state;
      if (kind === "closed") throw new HoltError("ESESSIONCLOSED", "the shell has ended");
      if (kind !== "prompt" && this.#needs.isReplaced()) {
        this.#joining ??= this.#rejoin(type).finally(() => (this.#joining = null));
        if (!(await this.#joining)) throw replaced();
        continue;
      }
      if (kind === "running" || kind === "given") throw this.#busy();
      if (this.#state.kind === "prompt") {
        if (this.#state.typed > 0) throw somebodyTypes();
        if (this.#isAtPrompt() && this.#needs.isEditing()) return;
        editingBy = Math.min(editingBy, performance.now() + EDITING_MS);
        if (performance.now() > editingBy)
          throw new HoltError("EBUSY", "the shell shows its prompt, but reads no keys");
        await Bun.sleep(EDITING_LOOK_MS);
        continue;
      }
      const left = deadline - performance.now();
      if (left <= 0) throw new HoltError("EBUSY", "the shell has not come to its prompt yet", { hint: HINT });
      await this.#changes.next(Math.min(left, REPLACED_LOOK_MS));
    }
  }

  /** The shell became a shell again: once that reads keys, and nobody is within a line there, it is told what the first was told. */
  async #rejoin(type: (bytes: string) => void): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      const shell = this.#needs.successor();
      const waited = performance.now() - began;
      // One that is just beginning has no name yet, and may let others have the terminal first.
      if (this.#isWithinLine || waited > (shell === null ? NAMED_MS : EDITING_MS)) return false;
      const isFree = shell !== null && this.#needs.foreground() === null && this.#needs.isEditing();
      if (isFree && !this.#needs.hasUnread()) {
        if (this.#state.kind === "running") this.#close(this.#state.running, null, this.#needs.produced());
        this.#state = { kind: "starting" };
        this.#shell = shell;
        type(this.#needs.rejoin(shell, this.#prompt));
        break;
      }
      await Bun.sleep(EDITING_LOOK_MS);
    }
    const promptBy = performance.now() + TAKE_MS;
    while (this.#state.kind === "starting" && performance.now() < promptBy)
      await this.#changes.next(promptBy - performance.now());
    this.#needs.inbox(null);
    return this.#isPrompted;
  }

  get #isPrompted(): boolean {
    return this.#state.kind === "prompt";
  }

  /** Between the look at the prompt and the line nothing else can be typed: this is the one who types. */
  async #give(command: Uint8Array, text: string, type: (bytes: string) => void): Promise<Running> {
    const before = this.#state;
    const { promise, resolve } = Promise.withResolvers<Running | null>();
    this.#needs.inbox(command);
    this.#state = { kind: "given", command: text, line: null, lineStart: 0, taken: resolve };
    try {
      type((this.#isTypedInto ? KILL_LINE : "") + LINES[this.#shell]);
    } catch (error) {
      this.#state = before;
      this.#needs.inbox(null);
      throw error;
    }
    this.#isTypedInto = false;
    const timer = setTimeout(() => resolve(null), TAKE_MS);
    const running = await promise;
    clearTimeout(timer);
    if (running !== null) return running;
    this.#needs.inbox(null); // nothing is run that nobody waits for
    if (this.#isClosed) throw new HoltError("ESESSIONCLOSED", "the shell has ended");
    if (this.#state.kind === "given") this.#state = { kind: "prompt", typed: 1 };
    if (this.#needs.isReplaced()) throw replaced();
    throw new HoltError("EBUSY", "the shell did not take the command: it was busy with something else", { hint: HINT });
  }

  #busy(): HoltError {
    if (this.#needs.isReplaced()) return replaced();
    if (this.#state.kind !== "running")
      return new HoltError("EBUSY", "the shell was just given a command", { hint: HINT });
    const { command, startedAt } = this.#state.running;
    return busy(command, startedAt, this.#needs.foreground());
  }

  #outcome(outcome: ShellOutcome["outcome"], running: Running): ShellOutcome {
    return outcomeOf(outcome, running, { cwd: this.#cwd, produced: this.#needs.produced() });
  }

  #begin(what: Begun, cursor: number): Running {
    return begun(this.#needs, { ...what, prompt: this.#prompt, cursor });
  }

  #close(running: Running, exitCode: number | null, cursor: number): void {
    closed(this.#needs, running, { exitCode, cursor, cwd: this.#cwd });
  }
}
