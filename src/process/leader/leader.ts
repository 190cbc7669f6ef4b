/**
 * The leader: the first process of a terminal session, between holder and command. Used where the
 * native leader (native/leader.c) cannot run; this one cannot wait for a change and an order at
 * once.
 *
 * A session leader's own process group is orphaned, so the kernel drops Ctrl-Z for it. So the
 * leader acts as a shell: it runs the command in a new process group, gives that group the
 * terminal, and reports stops and the end (leader-protocol.ts). While holt is a background job of
 * the user's shell, the leader keeps the terminal: the kernel then stops the command at its first
 * use of it.
 */
import { fstatSync } from "node:fs";
import { constants } from "node:os";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { libc } from "../../platform/native/libc.ts";
import { POLLIN, pollNow } from "../../platform/native/poller.ts";
import { entersGroup, ignoredFrom, limitsFrom } from "../../platform/process/limits.ts";
import { ignoreSignal } from "../../platform/process/signal-action.ts";
import { parseChange, waitRaw } from "../../platform/process/wait.ts";
import { errnoOf } from "../../protocol/types/errors.ts";
import {
  BEHIND,
  CONTINUE,
  encodeReport,
  GROUP_FD,
  type LeaderReport,
  ORDER_FD,
  REPORT_FD,
  STDERR_FD,
  TO_FRONT,
} from "./leader-protocol.ts";
import { inheritedDescriptors } from "../inherited-descriptors.ts";
import { inheritedEnvironment, rawArguments } from "../../platform/process/raw-arguments.ts";
import { spawnCommand } from "../spawn-command.ts";
import type { SpawnSpec } from "../transport.ts";

const { SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTTIN, SIGTTOU } = constants.signals;
const TERMINAL = 0;
/** How often it checks for a change while an order may come. */
const POLL_MS = 20;
const FOREVER = -1;

/**
 * Arguments: front or behind, the steps before exec (limits.ts), the path to execute, then argv.
 */
export async function main(args: string[]): Promise<number> {
  const [, , path, ...argv] = rawArguments(args);
  const isForeground = args[0] !== BEHIND;
  if (path === undefined) return 2;
  // The leader takes the terminal back from a stopped command while itself in the background.
  ignoreSignal(SIGTTOU);
  takeControllingTerminal();
  dieWithHolder();
  const pid = start({ path, argv, steps: args[1] ?? "-", isForeground });
  if (pid === null) return 1;
  // Neither a key nor a hang-up may end the leader before it has reported the command's end.
  for (const signal of [SIGQUIT, SIGINT, SIGHUP]) ignoreSignal(signal);
  // Only if the leader still has the terminal: the command may have given it to its own job by now.
  if (isForeground && libc().tcgetpgrp(TERMINAL) === libc().getpgrp()) libc().tcsetpgrp(TERMINAL, pid);
  report({ kind: "started", pid });
  supervise(pid, isForeground);
  return 0;
}

interface Start {
  path: Uint8Array;
  argv: Uint8Array[];
  /** The steps before the command runs, as text (limits.ts). */
  steps: string;
  isForeground: boolean;
}

function start({ path, argv, steps, isForeground }: Start): number | null {
  const limits = limitsFrom(steps);
  const ignored = ignoredFrom(steps);
  const group = entersGroup(steps) ? GROUP_FD : null;
  const ours = [REPORT_FD, ORDER_FD, STDERR_FD, ...(group === null ? [] : [group])];
  const inherited = inheritedDescriptors().filter((fd) => !ours.includes(fd));
  const fds = new Map(inherited.map((fd) => [fd, fd]));
  if (isPipe(STDERR_FD)) fds.set(2, STDERR_FD);
  try {
    const spec = { path, argv, env: inheritedEnvironment(), inherited, limits, ignored, group };
    return isForeground ? startInForeground(spec, fds) : spawnCommand(spec, { fds, place: "new_group" });
  } catch (error) {
    const errno: Record<string, number> = constants.errno;
    report({ kind: "failed", errno: errno[errnoOf(error) ?? "EIO"] ?? 5 });
    return null;
  }
}

/**
 * Blocks for a foreground command. For a background one it polls, since an order may come at any
 * time.
 */
function supervise(pid: number, startsInForeground: boolean): void {
  let isForeground = startsInForeground;
  let isStopped = false;
  for (;;) {
    const change = isStopped ? null : waitRaw(pid, { block: isForeground, stops: true });
    const status = change === null ? null : parseChange(change).status;
    if (change !== null && status !== null && status.kind !== "stopped") {
      // The leader's exit sends SIGHUP to the foreground group: be that group, to spare leftover
      // processes.
      libc().tcsetpgrp(TERMINAL, libc().getpgrp());
      // Close the terminal first, so that its end need not wait for the leader's exit.
      [0, 1, 2, STDERR_FD].forEach(closeQuietly);
      report({ kind: "changed", ...change });
      return;
    }
    if (change !== null && status !== null) {
      if (isEarlyStop(status.value, pid)) {
        libc().kill(-pid, SIGCONT);
        continue;
      }
      // The stopped command keeps the terminal: keys typed before it continues are for it.
      report({ kind: "changed", ...change });
      isStopped = true;
    }
    if ((pollNow(ORDER_FD, POLLIN, isStopped ? FOREVER : POLL_MS) & POLLIN) === 0) continue;
    const order = new Uint8Array(1);
    if (Number(libc().read(ORDER_FD, order, 1n)) !== 1) return;
    if (order[0] !== CONTINUE) isForeground = order[0] === TO_FRONT;
    libc().tcsetpgrp(TERMINAL, isForeground ? pid : libc().getpgrp());
    if (order[0] !== CONTINUE) continue;
    libc().kill(-pid, SIGCONT);
    isStopped = false;
  }
}

/**
 * Detects a command that was stopped for using the terminal just before it got it. That happens
 * where the terminal cannot be given before exec (platform/process/spawn.ts). A group that has the
 * terminal cannot be stopped this way, so this is no real stop.
 */
function isEarlyStop(signal: number, pid: number): boolean {
  return (signal === SIGTTIN || signal === SIGTTOU) && libc().tcgetpgrp(TERMINAL) === pid;
}

function report(what: LeaderReport): void {
  const record = encodeReport(what);
  libc().write(REPORT_FD, record, BigInt(record.length));
}

/** The runtime may use that number for another file. */
function isPipe(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false;
  }
}

/** If the holder is killed, the leader is too, and the kernel hangs up on the command. */
function dieWithHolder(): void {
  const PR_SET_PDEATHSIG = 1;
  if (process.platform === "linux") libc().prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL), 0n, 0n, 0n);
}

/** On Linux opening the terminal as stdin made it the controlling terminal; BSDs need TIOCSCTTY. */
function takeControllingTerminal(): void {
  if (process.platform !== "darwin") return;
  const TIOCSCTTY = 0x20007461n;
  libc().ioctl(TERMINAL, TIOCSCTTY, null);
}

/** Errors of tcsetpgrp(3). */
const TCSETPGRP_ERRORS = new Set(["EINVAL", "EIO", "ENOSYS", "ENOTTY", "EPERM"]);

/** Starts the command even when it cannot be given the terminal. SIGTTOU must be ignored. */
export function startInForeground(spec: SpawnSpec, fds: ReadonlyMap<number, number>): number {
  try {
    return spawnCommand(spec, { fds, place: "new_foreground_group" });
  } catch (error) {
    if (!TCSETPGRP_ERRORS.has(errnoOf(error) ?? "")) throw error;
    // The error may be execve's: then the terminal belongs to a group with no process left.
    libc().tcsetpgrp(TERMINAL, libc().getpgrp());
    return spawnCommand(spec, { fds, place: "new_group" });
  }
}
