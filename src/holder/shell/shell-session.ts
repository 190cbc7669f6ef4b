/**
 * A session that is an integrated shell: how it is given a command, and what becomes of that.
 *
 * A command is put into the inbox, below the line that is shown for it (as-typed.ts), and a short line is typed that makes the shell take it
 * from there and evaluate it at its top level: nothing of it passes the terminal or the line editor, so nothing there can alter it, and what
 * it defines stays. Its output is what lies between the two marks. Only one is under way, and only at a prompt that is drawn and at which
 * nobody has typed: who types there is not interfered with.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { EXEC_ANSWER_MARGIN_MS, type ShellName, type ShellOutcome } from "../../protocol/types/shell-command.ts";
import { commandDisplay } from "./command-display.ts";
import { ExecCall, interrupt } from "./give-up.ts";
import type { ShellHost } from "./shell-host.ts";
import { AHEAD_MS, ShellProgress } from "./progress.ts";
import { redrawPrompt, isBackUnmarked } from "./fish-recovery.ts";
import { notAtPrompt, shellBusy, shellReplaced, unfinishedLine, WAIT_HINT } from "./shell-errors.ts";
import type { RunningCommand } from "./running-command.ts";

export interface ExecRequest {
  command: Uint8Array;
  text: string;
  timeoutMs: number;
  type: (bytes: string) => void;
  /** Presses Ctrl-C. */
  interrupt: () => Promise<void>;
  /** A name of the caller's for it. */
  call: string | null;
}

const MAX_GIVEN_UP_EARLY = 64;
const LINES: Record<ShellName, string> = {
  // After a command in which a quote was left open, bash knows neither an alias nor a brace at the beginning of the next line.
  bash: ' __holt_take; \\builtin eval -- "$__holt_command"; { __holt_done; } 2>/dev/null\r',
  zsh: " __holt\r",
  // Its eval knows no options, and would run "--".
  fish: " __holt_take; builtin eval $__holt_command; __holt_done\r",
};
/** Of a line that is left over from what was typed too early. After a space: readline rings the bell where there is nothing to kill. */
const KILL_LINE = " \x15";
/** A shell that takes this long to read a line does something else. */
const TAKE_MS = 5000;
const EDITING_MS = 2000;
const EDITING_LOOK_MS = 1;
/** No event tells that a shell has begun to read. That is soon after its mark, or something is slow: it is looked for ever less often. */
const DRAWN_LOOKS_MS = [1, 1, 2, 4, 8, 16, 32];
const SETTLE_MS = 2000;
/** Three of them in a row, and the settling, are within EXEC_ANSWER_MARGIN_MS. */
const MOMENT_MS = (EXEC_ANSWER_MARGIN_MS - SETTLE_MS) / 3;
const NAMED_MS = 200;
const REPLACED_LOOK_MS = 250;

function untilLook(looks: number): number {
  return DRAWN_LOOKS_MS[Math.min(looks, DRAWN_LOOKS_MS.length - 1)] ?? 0;
}

/** So long, but not until later than its caller is still there to hear of it; a shell has a moment in any case. */
function withGrace(deadline: number, ms: number): number {
  return Math.min(ms, Math.max(0, deadline - performance.now()) + MOMENT_MS);
}

export class ShellSession {
  readonly #host: ShellHost;
  readonly #progress: ShellProgress;
  readonly #calls = new Map<string, ExecCall>();
  /** Given up, and not known: each comes on a connection of its own, and may be overtaken. */
  readonly #givenUpEarly = new Set<string>();
  #joining: Promise<boolean> | null = null;

  constructor(host: ShellHost) {
    this.#host = host;
    this.#progress = new ShellProgress(host);
  }

  get cwd(): string | null {
    return this.#progress.cwd;
  }

  /** OSC 133, as it is printed. */
  marked(text: string, start: number, end: number): void {
    this.#progress.marked(text, start, end);
  }

  typed(bytes: Uint8Array): void {
    this.#progress.typed(bytes);
  }

  /** The shell has exited, and all that it printed was seen. */
  closed(): void {
    this.#host.release();
    this.#progress.closed();
  }

  async exec(request: ExecRequest): Promise<ShellOutcome> {
    const call = new ExecCall();
    if (request.call !== null) this.#calls.set(request.call, call);
    if (request.call !== null && this.#givenUpEarly.delete(request.call)) void call.giveUp();
    try {
      return await this.#exec(request, call);
    } finally {
      call.over("left alone");
      if (request.call !== null) this.#calls.delete(request.call);
    }
  }

  /** Nobody waits for it any more. Whether it was interrupted. */
  async giveUp(name: string): Promise<boolean> {
    const call = this.#calls.get(name);
    if (call === undefined) this.#rememberGivenUp(name);
    const givenUp = call?.giveUp() ?? false;
    this.#progress.changes.notify();
    return givenUp;
  }

  /** Most are over by then, and never come. */
  #rememberGivenUp(name: string): void {
    this.#givenUpEarly.add(name);
    const [oldest] = this.#givenUpEarly;
    if (this.#givenUpEarly.size > MAX_GIVEN_UP_EARLY && oldest !== undefined) this.#givenUpEarly.delete(oldest);
  }

  async #exec(request: ExecRequest, call: ExecCall): Promise<ShellOutcome> {
    const deadline = performance.now() + request.timeoutMs;
    await this.#waitUntilReady(deadline, request.type, call);
    const running = await this.#submit(request, withGrace(deadline, TAKE_MS));
    while (running.end === null && !this.#progress.isClosed) {
      if (call.isGivenUp) {
        await this.#interrupt(running, request, call);
        await redrawPrompt(this.#host, this.#progress, request.type);
        break;
      }
      const left = deadline - performance.now();
      if (left <= 0) return this.#progress.outcome("running", running);
      if (this.#host.isReplaced()) return this.#progress.outcome("replaced", running);
      await this.#progress.changes.next(Math.min(left, REPLACED_LOOK_MS));
    }
    // fish exits at the end of the line in which it was told to.
    if (this.#progress.shell === "fish" && this.#progress.state.kind === "ended")
      await this.#progress.changes.next(SETTLE_MS);
    return this.#progress.outcome(this.#progress.isClosed ? "session_ended" : "done", running);
  }

  #interrupt(running: RunningCommand, { interrupt: press }: ExecRequest, call: ExecCall): Promise<void> {
    const [host, progress] = [this.#host, this.#progress];
    const command = {
      front: () => host.front(),
      hasUnseen: () => host.hasUnseen(),
      typed() {
        return progress.timesTyped;
      },
      press,
      isOver: () => running.end !== null || progress.isClosed || isBackUnmarked(host, progress),
      pause: (looks: number) => progress.changes.next(untilLook(looks)),
    };
    return interrupt(command, () => call.over("interrupted"));
  }

  async untilPrompt(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let looks = 0; ; ) {
      if (this.#progress.isAtPrompt()) return true;
      const left = deadline - performance.now();
      if (left <= 0 || this.#progress.isClosed) return false;
      if (this.#host.isReplaced()) throw shellReplaced();
      looks = this.#isUndrawn ? looks + 1 : 0;
      const pause = this.#progress.isTypedInto ? AHEAD_MS : REPLACED_LOOK_MS;
      await this.#progress.changes.next(Math.min(left, looks > 0 ? untilLook(looks) : pause));
    }
  }

  /** Its prompt is on the way, and nobody has typed there. */
  get #isUndrawn(): boolean {
    const { state } = this.#progress;
    return state.kind === "prompt" && state.typed === 0 && !state.isDrawn;
  }

  async #waitUntilReady(deadline: number, type: (bytes: string) => void, call: ExecCall): Promise<void> {
    let editingBy = Number.POSITIVE_INFINITY;
    for (let looks = 0; ; looks++) {
      const { state } = this.#progress;
      const { kind } = state;
      if (kind === "closed") throw new HoltError("ESESSIONCLOSED", "the shell has ended");
      if (call.isGivenUp) throw new HoltError("ECANCELED", "the call was given up");
      if (kind !== "prompt" && this.#host.isReplaced()) {
        await this.#joined(deadline, type);
        continue;
      }
      if (kind === "running" || kind === "submitted") throw this.#busy();
      if (kind === "prompt") {
        if (state.typed > 0) throw unfinishedLine();
        if (this.#progress.isAtPrompt() && this.#host.isEditing()) return;
        const now = performance.now();
        editingBy = Math.min(editingBy, now + withGrace(deadline, EDITING_MS));
        if (state.isDrawn && now > editingBy)
          throw new HoltError("EBUSY", "the shell shows its prompt, but reads no keys");
        if (now > Math.max(editingBy, deadline)) throw notAtPrompt();
        await this.#progress.changes.next(state.isDrawn ? EDITING_LOOK_MS : untilLook(looks));
        continue;
      }
      looks = 0;
      const left = deadline - performance.now();
      if (left <= 0) throw notAtPrompt();
      await this.#progress.changes.next(Math.min(left, REPLACED_LOOK_MS));
    }
  }

  /** One joins it for all who wait, whenever each of them must have its answer: who gives up leaves it to the others. */
  async #joined(deadline: number, type: (bytes: string) => void): Promise<void> {
    this.#joining ??= this.#rejoin(type).finally(() => (this.#joining = null));
    const isJoined = await orTimeout(this.#joining, withGrace(deadline, Number.POSITIVE_INFINITY));
    if (isJoined === null) throw notAtPrompt();
    if (!isJoined) throw shellReplaced();
  }

  /** The shell became a shell again: once that reads keys, and nobody is within a line there, it is told what the first was told. */
  async #rejoin(type: (bytes: string) => void): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      const shell = this.#host.successor();
      const waited = performance.now() - began;
      // One that is just beginning has no name yet, and may let others have the terminal first.
      if (this.#progress.isWithinLine || waited > (shell === null ? NAMED_MS : EDITING_MS)) return false;
      const isFree = shell !== null && this.#host.foreground() === null && this.#host.isEditing();
      if (isFree && !this.#host.hasUnread()) {
        this.#progress.restart(shell);
        type(this.#host.rejoin(shell, this.#progress.prompt));
        break;
      }
      await Bun.sleep(EDITING_LOOK_MS);
    }
    const promptBy = performance.now() + TAKE_MS;
    while (this.#progress.state.kind === "starting" && performance.now() < promptBy)
      await this.#progress.changes.next(promptBy - performance.now());
    this.#host.inbox(null);
    return this.#progress.state.kind === "prompt";
  }

  /** Between the look at the prompt and the line nothing else can be typed: this is the one who types. */
  async #submit({ command, text, type }: ExecRequest, takeMs: number): Promise<RunningCommand> {
    const progress = this.#progress;
    const line = LINES[progress.shell];
    // What was typed ahead and is still to be dropped lies where the place would be.
    const isLineLeft = progress.isTypedInto && progress.isWithinLine;
    const shown = commandDisplay(text, isLineLeft ? "lost" : this.#host.savePromptEnd(line.length - 1));
    const keys = progress.isTypedInto ? KILL_LINE + line : line;
    this.#host.inbox(joined([bytesOf(`${shown}\n`), command]));
    let running: RunningCommand | null;
    try {
      running = await orTimeout(
        progress.submit(text, () => type(keys)),
        takeMs,
      );
    } catch (error) {
      this.#host.inbox(null);
      throw error;
    }
    if (running !== null) return running;
    this.#host.inbox(null); // nothing is run that nobody waits for
    if (progress.isClosed) throw new HoltError("ESESSIONCLOSED", "the shell has ended");
    progress.takeBack();
    if (this.#host.isReplaced()) throw shellReplaced();
    throw new HoltError("EBUSY", "the shell did not take the command: it was busy with something else", {
      hint: WAIT_HINT,
    });
  }

  #busy(): HoltError {
    if (this.#host.isReplaced()) return shellReplaced();
    const { state } = this.#progress;
    if (state.kind !== "running")
      return new HoltError("EBUSY", "the shell has just received a command", { hint: WAIT_HINT });
    const { command, startedAt } = state.running;
    return shellBusy(command, startedAt, this.#host.foreground());
  }
}

/** What comes of it, or null where that takes longer than so many milliseconds: it goes on then, for whoever else waits. */
async function orTimeout<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
