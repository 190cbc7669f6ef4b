/**
 * A process that waits for its command, started by a holder that waits for its session: a start then takes one write to a pipe, and not the fork, and at
 * a terminal the second program, that would come before the command's own execve (docs/adr/0016).
 *
 * It leads a session of its own and has pipes on 0, 1 and 2; a terminal is at hand. What it is told makes it the command on these pipes, or the leader on
 * that terminal (platform/native/leader-x64.s, part 2). A pipe that ends is all that holds it: it does not outlive its holder, however that ends.
 */
import { ticksSinceBoot } from "../platform/birth-time.ts";
import { closeQuietly, descriptorLimit, privatePipes, setNonBlocking } from "../platform/descriptors.ts";
import { openLeaderProgram } from "../platform/leader-program.ts";
import { libc } from "../platform/libc.ts";
import { identityOf } from "../platform/processes.ts";
import { send, signalNumber } from "../platform/signals.ts";
import { spawn } from "../platform/spawn.ts";
import { openPseudoTerminal, setSize } from "../platform/terminal-device.ts";
import { waitFor } from "../platform/wait.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { cueOf } from "../protocol/cue.ts";
import { blockOf } from "../protocol/environment-block.ts";
import type { ProcessIdentity, TerminalSize } from "../protocol/session.ts";
import type { LaunchedLeader } from "./leader-launch.ts";
import { ORDER_FD, REPORT_FD, STDERR_FD } from "./report-fds.ts";
import type { SpawnSpec } from "./transport.ts";

const SIGKILL = signalNumber("SIGKILL");
const SIGCONT = signalNumber("SIGCONT");

/** Our ends. */
export interface CommandPipes {
  stdin: number;
  stdout: number;
  stderr: number;
}

/** A process that is about to execute the command, and where it tells if it could not. */
export interface CuedCommand extends CommandPipes {
  reports: number;
}

type Terminal = ReturnType<typeof openPseudoTerminal>;

interface Parts {
  pid: number;
  pipes: CommandPipes;
  terminal: Terminal;
  orders: number;
  reports: number;
}

export class Understudy implements Disposable {
  readonly identity: ProcessIdentity;
  readonly #parts: Parts;
  #isFree = true;
  /** It has been told, and nobody has taken what came of it. */
  #isTold = false;
  #toldAt: number | null = null;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.identity = identityOf(parts.pid);
  }

  /** Null where there is no small program, or no room. */
  static hire(): Understudy | null {
    if (descriptorLimit() <= STDERR_FD) return null;
    try {
      const parts = started();
      return parts === null ? null : new Understudy(parts);
    } catch {
      return null;
    }
  }

  /** The path of its terminal: a cue (protocol/cue.ts) names it. */
  get terminal(): string {
    return this.#parts.terminal.path;
  }

  /** To lead a terminal: in ticks since boot. */
  get toldAt(): number | null {
    return this.#toldAt;
  }

  /** By somebody who knows what it is to do, with its terminal at that size. False where it cannot play it, and is no more. */
  tell(cue: Uint8Array, size: TerminalSize | null): boolean {
    if (size !== null) {
      this.#toldAt = ticksSinceBoot();
      setSize(this.#parts.terminal.master, size);
    }
    this.#isTold = this.#told(cue);
    return this.#isTold;
  }

  /** Whoever told it cannot hold what it has become. */
  giveUp(): void {
    if (this.#isFree) this[Symbol.dispose]();
    else send(this.#parts.pid, SIGKILL);
  }

  /** Null where it cannot play it, and is no more. Without a spec it has been told. */
  command(spec: SpawnSpec | null): CuedCommand | null {
    const { pipes, terminal, orders, reports } = this.#parts;
    if (!this.#cue(spec, null)) return null;
    closeLater(orders, terminal.master, terminal.slave);
    return { ...pipes, reports };
  }

  /** The same at a terminal. */
  leader(spec: SpawnSpec | null, size: TerminalSize): LaunchedLeader | null {
    const { pid, pipes, terminal, orders, reports } = this.#parts;
    const { master, slave, path } = terminal;
    if (spec !== null) setSize(master, size);
    if (!this.#cue(spec, bytesOf(path))) return null;
    closeLater(pipes.stdin, pipes.stdout, pipes.stderr);
    return { pid, master, slave, unsent: new Uint8Array(0), reports, orders, errors: null };
  }

  /** Nobody needs it. It is gone when this returns. */
  [Symbol.dispose](): void {
    if (!this.#isFree) return;
    this.#isFree = false;
    const { pid, pipes, terminal, orders, reports } = this.#parts;
    send(pid, SIGKILL);
    waitFor(pid, { block: true, stops: false });
    const { stdin, stdout, stderr } = pipes;
    [stdin, stdout, stderr, terminal.master, terminal.slave, orders, reports].forEach(closeQuietly);
  }

  #cue(spec: SpawnSpec | null, terminal: Uint8Array | null): boolean {
    if (spec !== null) return this.#told(this.#isFree && needsNoDescriptors(spec) ? cueFor(spec, terminal) : null);
    const isTold = this.#isTold;
    this.#isTold = false;
    return isTold;
  }

  /** All of it at once, or nothing: somebody may have killed it, or stopped it with its pipe full. */
  #told(cue: Uint8Array | null): boolean {
    if (cue !== null && Number(libc().write(this.#parts.orders, cue, cue.length)) === cue.length) {
      this.#isFree = false;
      send(this.#parts.pid, SIGCONT); // somebody may have stopped it while it waited
      return true;
    }
    this[Symbol.dispose]();
    return false;
  }
}

/** Null where it is too long. */
function cueFor({ path, argv, env, limits, entered }: SpawnSpec, terminal: Uint8Array | null): Uint8Array | null {
  if (entered === undefined) return null;
  return cueOf({ ...entered, paths: blockOf([path]), argv, env: blockOf(env), mark: NOTHING, limits, terminal });
}

const NOTHING = new Uint8Array(0);

/** It was started without any but its own: neither a channel of the command's nor the way into a control group is among them. */
function needsNoDescriptors({ extra, inherited, group = null }: SpawnSpec): boolean {
  return (extra?.size ?? 0) + inherited.length === 0 && group === null;
}

function started(): Parts | null {
  const program = openLeaderProgram({ part: "understudy", limits: [], ignored: [], group: null });
  if (program === null) return null;
  const open: number[] = [program];
  try {
    const [stdin, stdout, stderr, orders, reports] = privatePipes(5);
    if (!stdin || !stdout || !stderr || !orders || !reports) throw new RangeError("too few pipes");
    const theirs = [stdin.readEnd, stdout.writeEnd, stderr.writeEnd, orders.readEnd, reports.writeEnd];
    const ours = [stdin.writeEnd, stdout.readEnd, stderr.readEnd, orders.writeEnd, reports.readEnd];
    open.push(...theirs, ...ours);
    const terminal = openPseudoTerminal();
    open.push(terminal.master, terminal.slave);
    [...ours, terminal.master, terminal.slave].forEach(setNonBlocking);
    const pid = spawn({
      path: bytesOf(`/proc/self/fd/${program}`),
      argv: [bytesOf("holt-leader")],
      env: [],
      fds: new Map([
        [0, stdin.readEnd],
        [1, stdout.writeEnd],
        [2, stderr.writeEnd],
        [ORDER_FD, orders.readEnd],
        [REPORT_FD, reports.writeEnd],
      ]),
      place: "own_session",
    });
    [program, ...theirs].forEach(closeQuietly);
    const pipes = { stdin: stdin.writeEnd, stdout: stdout.readEnd, stderr: stderr.readEnd };
    return { pid, pipes, terminal, orders: orders.writeEnd, reports: reports.readEnd };
  } catch (error) {
    open.forEach(closeQuietly);
    throw error;
  }
}

/** Nobody waits for that. */
function closeLater(...fds: readonly number[]): void {
  setImmediate(() => fds.forEach(closeQuietly));
}
