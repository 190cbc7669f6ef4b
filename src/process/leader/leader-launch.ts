/** Starts a command on a new terminal, under a leader (leader.ts). */
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
  /** The person's own settings, control characters included; null for the kernel's defaults. */
  termios: Termios | null;
  /** Goes into the terminal before anything else does, and is not shown. */
  typedAhead: Uint8Array;
  /** Where stderr is redirected, it does not go to the terminal but to a channel of its own. */
  stderr: "terminal" | "channel";
  /** Not for the job of a shell that has it in the background: the command is stopped at its first use of the terminal. */
  isForeground: boolean;
  justBefore: () => void;
}

export interface LaunchedLeader {
  pid: number;
  master: number;
  /** Ours, so that the end of the terminal cannot overtake its last bytes. */
  slave: number;
  /** What was typed ahead and did not fit. */
  unsent: Uint8Array;
  reports: number;
  orders: number;
  /** Null where stderr goes to the terminal. */
  errors: number | null;
}

export function launchLeader(request: LaunchRequest): LaunchedLeader {
  const { spec, size, termios, typedAhead, stderr, isForeground, justBefore } = request;
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
    setNonBlocking(slave); // our own opening of it: the command's blocks as it should
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
    const ours = [...fds.values()];
    if (spec.group != null) fds.set(GROUP_FD, spec.group);
    for (const [theirs, fd] of spec.extra ?? []) fds.set(theirs, fd);
    for (const fd of spec.inherited) if (!fds.has(fd)) fds.set(fd, fd);
    setNonBlocking(reports.readEnd);
    if (errors !== null) setNonBlocking(errors.readEnd);
    const pid = spawnLeader({ spec, isForeground }, (program) =>
      spawn({ ...program, env: spec.env, fds, place: "new_session", terminal, justBefore }),
    );
    ours.forEach(closeQuietly);
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
  pollNow(slave, POLLIN); // the terminal takes in what is on its way before it answers
  setTermios(slave, termios, "now");
  return bytes.subarray(Math.max(0, written));
}

/** The small program where it can be had and executed; otherwise this executable takes its part. */
function spawnLeader(
  { spec, isForeground }: Pick<LaunchRequest, "spec" | "isForeground">,
  start: (program: { path: Uint8Array; argv: Uint8Array[] }) => number,
): number {
  const place = isForeground ? FRONT : BEHIND;
  const group = spec.group == null ? null : GROUP_FD;
  const before = beforeExecText({ limits: spec.limits, ignored: spec.ignored ?? [], group });
  const small = openLeaderProgram();
  if (small !== null) {
    try {
      return start({
        path: bytesOf(`/proc/self/fd/${small}`),
        argv: [...["holt-leader", place, before].map(bytesOf), spec.path, ...spec.argv],
      });
    } catch {
      // A hardened system executes nothing from memory.
    } finally {
      closeQuietly(small);
    }
  }
  const own = [...ownCommand(), LEADER_COMMAND, place, before].map(bytesOf);
  return start({ path: own[0] ?? new Uint8Array(0), argv: [...own, spec.path, ...spec.argv] });
}
