/** Opens a new terminal and starts a leader (leader.ts) with a command on it. */
import { closeQuietly, descriptorLimit, privatePipe, setNonBlocking } from "../../platform/fs/descriptors.ts";
import { openLeaderProgram } from "../../platform/native/leader-program.ts";
import { beforeExecText } from "../../platform/process/limits.ts";
import { ownCommand } from "../../platform/process/own-command.ts";
import { spawn } from "../../platform/process/spawn.ts";
import { libc, SystemError } from "../../platform/native/libc.ts";
import { POLLIN, pollNow } from "../../platform/native/poller.ts";
import {
  getTermios,
  openPseudoTerminal,
  setSize,
  setTermios,
  type Termios,
  withoutEcho,
} from "../../platform/tty/terminal-device.ts";
import type { TerminalSize } from "../../protocol/types/session.ts";
import { BEHIND, FRONT, GROUP_FD, ORDER_FD, REPORT_FD, STDERR_FD } from "./leader-protocol.ts";
import type { SpawnSpec } from "../transport.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

export const LEADER_COMMAND = "__leader";

export interface LaunchRequest {
  spec: SpawnSpec;
  size: TerminalSize;
  /**
   * The settings of the user's terminal, control characters included; null for the kernel's
   * defaults.
   */
  termios: Termios | null;
  /** Written to the terminal first, without echo. */
  typedAhead: Uint8Array;
  /** "channel": stderr is redirected and gets its own pipe. */
  stderr: "terminal" | "channel";
  /**
   * False for a background job of the user's shell: the command is stopped at its first use of the
   * terminal.
   */
  isForeground: boolean;
  /**
   * Called directly before posix_spawn, when all else is prepared; a second time where the native
   * leader does not start.
   */
  justBefore: () => void;
}

export interface LaunchedLeader {
  pid: number;
  master: number;
  /**
   * Our own opening of the slave, kept until the output is read: closing the last one hangs up the
   * terminal, and some kernels then drop output that was not read.
   */
  slave: number;
  /** The typed-ahead bytes that did not fit. */
  unsent: Uint8Array;
  reports: number;
  orders: number;
  /** The pipe of stderr; null where stderr goes to the terminal. */
  errors: number | null;
}

export function launchLeader(request: LaunchRequest): LaunchedLeader {
  const { spec, size, termios, typedAhead, stderr, isForeground, justBefore } = request;
  // GROUP_FD is the leader's highest number. At or above the limit, dup2 fails in the child with
  // EBADF, which hides the cause.
  if (descriptorLimit() <= GROUP_FD) throw new SystemError("dup2", "EMFILE");
  const { master, slave, path: terminal } = openPseudoTerminal();
  const opened = [master, slave];
  const pipe = (): ReturnType<typeof privatePipe> => {
    const made = privatePipe();
    opened.push(made.readEnd, made.writeEnd);
    return made;
  };
  try {
    if (termios !== null) setTermios(slave, termios, "now");
    setNonBlocking(master);
    setNonBlocking(slave); // only our own opening: the command's stays blocking
    const unsent = typedAhead.length > 0 ? typeUnseen(master, slave, typedAhead) : typedAhead;
    setSize(master, size);
    const reports = pipe();
    const orders = pipe();
    const errors = stderr === "channel" ? pipe() : null;
    const fds = new Map([
      [REPORT_FD, reports.writeEnd],
      [ORDER_FD, orders.readEnd],
    ]);
    if (errors !== null) fds.set(STDERR_FD, errors.writeEnd);
    // The pipe ends made here, which are closed after the spawn. The descriptors added below belong
    // to the caller.
    const childEnds = [...fds.values()];
    if (spec.group != null) fds.set(GROUP_FD, spec.group);
    for (const [child, fd] of spec.extra ?? []) fds.set(child, fd);
    for (const fd of spec.inherited) if (!fds.has(fd)) fds.set(fd, fd);
    setNonBlocking(reports.readEnd);
    if (errors !== null) setNonBlocking(errors.readEnd);
    const pid = spawnLeader({ spec, isForeground }, (program) =>
      spawn({ ...program, env: spec.env, fds, place: "new_session", terminal, justBefore }),
    );
    childEnds.forEach(closeQuietly);
    return {
      pid,
      master,
      slave,
      unsent,
      reports: reports.readEnd,
      orders: orders.writeEnd,
      errors: errors?.readEnd ?? null,
    };
  } catch (error) {
    opened.forEach(closeQuietly);
    throw error;
  }
}

function typeUnseen(master: number, slave: number, bytes: Uint8Array): Uint8Array {
  const termios = getTermios(slave);
  setTermios(slave, withoutEcho(termios), "now");
  const written = Number(libc().write(master, bytes, bytes.length));
  pollNow(slave, POLLIN); // poll(2) returns after the terminal has processed the bytes
  setTermios(slave, termios, "now");
  return bytes.subarray(Math.max(0, written));
}

/** Starts the native leader where possible, else this executable in its place (leader.ts). */
function spawnLeader(
  { spec, isForeground }: Pick<LaunchRequest, "spec" | "isForeground">,
  start: (program: { path: Uint8Array; argv: Uint8Array[] }) => number,
): number {
  // The two words are modes of native/leader.c.
  const startPlace = isForeground ? FRONT : BEHIND;
  const group = spec.group == null ? null : GROUP_FD;
  const beforeExec = beforeExecText({ limits: spec.limits, ignored: spec.ignored ?? [], group });
  const programFd = openLeaderProgram();
  if (programFd !== null) {
    try {
      return start({
        path: bytesOf(`/proc/self/fd/${programFd}`),
        argv: [...["holt-leader", startPlace, beforeExec].map(bytesOf), spec.path, ...spec.argv],
      });
    } catch {
      // A hardened system refuses to execute a memfd. After any other failure too, the leader is
      // started once more below; if the cause was not the memfd, that fails and is thrown.
    } finally {
      closeQuietly(programFd);
    }
  }
  const own = [...ownCommand(), LEADER_COMMAND, startPlace, beforeExec].map(bytesOf);
  return start({ path: own[0] ?? new Uint8Array(0), argv: [...own, spec.path, ...spec.argv] });
}
