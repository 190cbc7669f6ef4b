/**
 * Runs commands in a session that is an integrated shell.
 *
 * A command is put into the inbox, below the line that is shown for it (command-display.ts). A
 * short typed line makes the shell read and evaluate it at top level: it passes neither the
 * terminal nor the line editor, so neither can alter it, and its definitions stay. Its output lies
 * between two marks. Only one command runs at a time, and only at a drawn prompt without typed
 * text: a user who types there is not disturbed.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { EXEC_ANSWER_MARGIN_MS, type ShellName, type ShellOutcome } from "../../protocol/types/shell-command.ts";
import { commandDisplay } from "./command-display.ts";
import { ExecCall, interrupt } from "./give-up.ts";
import type { ShellHost } from "./shell-host.ts";
import { ShellProgress, TYPED_AHEAD_MS } from "./progress.ts";
import { isBackUnmarked, redrawPrompt } from "./fish-recovery.ts";
import { notAtPrompt, shellBusy, shellReplaced, unfinishedLine, WAIT_HINT } from "./shell-errors.ts";
import type { RunningCommand } from "./running-command.ts";

export interface ExecRequest {
  command: Uint8Array;
  text: string;
  timeoutMs: number;
  type: (bytes: string) => void;
  /** Presses Ctrl-C. */
  interrupt: () => Promise<void>;
  /** The caller's name for the call. */
  call: string | null;
}

const MAX_GIVEN_UP_EARLY = 64;
const LINES: Record<ShellName, string> = {
  // After a command with an open quote, bash recognizes neither an alias nor `{` at the beginning
  // of the next line.
  bash: ' __holt_take; \\builtin eval -- "$__holt_command"; { __holt_done; } 2>/dev/null\r',
  zsh: " __holt\r",
  // fish's eval has no options, and would run "--".
  fish: " __holt_take; builtin eval $__holt_command; __holt_done\r",
};
/**
 * Clears a line left from early input. The space comes first because readline rings the bell on an
 * empty line.
 */
const KILL_LINE = " \x15";
/** A shell that takes longer to read a line does something else. */
const TAKE_MS = 5000;
const EDITING_MS = 2000;
const EDITING_LOOK_MS = 1;
/**
 * Polling intervals: no event reports that a shell has begun to read. It does so soon after its
 * mark, or something is slow.
 */
const DRAWN_LOOKS_MS = [1, 1, 2, 4, 8, 16, 32];
const SETTLE_MS = 2000;
/** Three of these in a row and the settling time fit into EXEC_ANSWER_MARGIN_MS. */
const MINIMUM_MS = (EXEC_ANSWER_MARGIN_MS - SETTLE_MS) / 3;
const NAMED_MS = 200;
const REPLACED_LOOK_MS = 250;

function lookDelay(looks: number): number {
  return DRAWN_LOOKS_MS[Math.min(looks, DRAWN_LOOKS_MS.length - 1)] ?? 0;
}

/**
 * At most `ms`, and not long past the deadline, when the caller is gone; a shell gets a moment in
 * any case.
 */
function withGrace(deadline: number, ms: number): number {
  return Math.min(ms, Math.max(0, deadline - performance.now()) + MINIMUM_MS);
}

export class ShellSession {
  readonly #host: ShellHost;
  readonly #progress: ShellProgress;
  readonly #calls = new Map<string, ExecCall>();
  /** Calls that were given up before they arrived: the two requests use different connections. */
  readonly #givenUpEarly = new Set<string>();
  #rejoining: Promise<boolean> | null = null;

  constructor(host: ShellHost) {
    this.#host = host;
    this.#progress = new ShellProgress(host);
  }

  get cwd(): string | null {
    return this.#progress.cwd;
  }

  /** An OSC 133 mark, in the order of the output. */
  marked(text: string, start: number, end: number): void {
    this.#progress.marked(text, start, end);
  }

  typed(bytes: Uint8Array): void {
    this.#progress.typed(bytes);
  }

  /** The shell has exited, and all its output was processed. */
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
      call.finish("left alone");
      if (request.call !== null) this.#calls.delete(request.call);
    }
  }

  /** Cancels a call. Resolves with whether its command was interrupted. */
  async giveUp(name: string): Promise<boolean> {
    const call = this.#calls.get(name);
    if (call === undefined) this.#rememberGivenUp(name);
    const givenUp = call?.giveUp() ?? false;
    this.#progress.changes.notify();
    return givenUp;
  }

  /** Bounded: most of these calls are over already and never arrive. */
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
    // fish exits at the end of the line that contains `exit`.
    if (this.#progress.shell === "fish" && this.#progress.state.kind === "ended")
      await this.#progress.changes.next(SETTLE_MS);
    return this.#progress.outcome(this.#progress.isClosed ? "session_ended" : "done", running);
  }

  #interrupt(running: RunningCommand, { interrupt: press }: ExecRequest, call: ExecCall): Promise<void> {
    const [host, progress] = [this.#host, this.#progress];
    const command = {
      foregroundProcess: () => host.foregroundProcess(),
      hasUnreadOutput: () => host.hasUnreadOutput(),
      typed() {
        return progress.timesTyped;
      },
      press,
      isOver: () => running.end !== null || progress.isClosed || isBackUnmarked(host, progress),
      pause: (looks: number) => progress.changes.next(lookDelay(looks)),
    };
    return interrupt(command, () => call.finish("interrupted"));
  }

  async untilPrompt(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let looks = 0; ; ) {
      if (this.#progress.isAtPrompt()) return true;
      const left = deadline - performance.now();
      if (left <= 0 || this.#progress.isClosed) return false;
      if (this.#host.isReplaced()) throw shellReplaced();
      looks = this.#isUndrawn ? looks + 1 : 0;
      const pause = this.#progress.isTypedInto ? TYPED_AHEAD_MS : REPLACED_LOOK_MS;
      await this.#progress.changes.next(Math.min(left, looks > 0 ? lookDelay(looks) : pause));
    }
  }

  /** Its prompt is being drawn, and no text was typed there. */
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
        await this.#rejoinOnce(deadline, type);
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
        await this.#progress.changes.next(state.isDrawn ? EDITING_LOOK_MS : lookDelay(looks));
        continue;
      }
      looks = 0;
      const left = deadline - performance.now();
      if (left <= 0) throw notAtPrompt();
      await this.#progress.changes.next(Math.min(left, REPLACED_LOOK_MS));
    }
  }

  /**
   * Integrates the shell once for all waiting calls, whatever their deadlines: a call that times
   * out does not cancel it.
   */
  async #rejoinOnce(deadline: number, type: (bytes: string) => void): Promise<void> {
    this.#rejoining ??= this.#rejoin(type).finally(() => (this.#rejoining = null));
    const isRejoined = await orTimeout(this.#rejoining, withGrace(deadline, Number.POSITIVE_INFINITY));
    if (isRejoined === null) throw notAtPrompt();
    if (!isRejoined) throw shellReplaced();
  }

  /**
   * The shell was replaced by another one: once that reads keys and no line is unfinished, types
   * the line that integrates it.
   */
  async #rejoin(type: (bytes: string) => void): Promise<boolean> {
    const began = performance.now();
    for (;;) {
      const shell = this.#host.replacementShell();
      const waited = performance.now() - began;
      // A process that has just started has no name yet, and may let others have the terminal
      // first.
      if (this.#progress.isWithinLine || waited > (shell === null ? NAMED_MS : EDITING_MS)) return false;
      const isFree = shell !== null && this.#host.foregroundName() === null && this.#host.isEditing();
      if (isFree && !this.#host.hasUnreadInput()) {
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

  /** Check and typing happen in one step, so no other input comes between. */
  async #submit({ command, text, type }: ExecRequest, takeMs: number): Promise<RunningCommand> {
    const progress = this.#progress;
    const line = LINES[progress.shell];
    // Input that was typed ahead and will be dropped is where the position would be.
    const isLineLeft = progress.isTypedInto && progress.isWithinLine;
    const displayed = commandDisplay(text, isLineLeft ? "lost" : this.#host.savePromptEnd(line.length - 1));
    const keys = progress.isTypedInto ? KILL_LINE + line : line;
    this.#host.inbox(joined([bytesOf(`${displayed}\n`), command]));
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
    this.#host.inbox(null); // a command without a waiting caller must not run
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
    return shellBusy(command, startedAt, this.#host.foregroundName());
  }
}

/** The result, or null after `ms`; the work continues for other callers. */
async function orTimeout<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
