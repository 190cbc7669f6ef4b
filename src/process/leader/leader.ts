/**
 * The leader: the first process of a terminal's session.
 *
 * A command that leads its session itself can never be stopped: its process group has no parent inside the session (it is
 * "orphaned"), so the kernel drops Ctrl-Z. So a leader stands between, as a shell would: it runs the command in a process
 * group of its own, gives that group the terminal, and tells the holder when the command stops or ends.
 *
 * It is started with a terminal on 0, 1 and 2 and two pipes: it reports on REPORT_FD (leader-report.ts), and reads orders from
 * ORDER_FD. While the person's shell has holt in the background, the leader has the terminal itself: the kernel then stops the
 * command at its first use of it. Where a small native program can take this part it does (native/leader.c): the two are
 * alike, but that this one cannot wait for a change and an order at once.
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
/** How often it looks for a change while an order may come. */
const LOOK_MS = 20;
const FOREVER = -1;

/** Arguments: front or behind, the command's limits, the path to execute, then argv. */
export async function main(args: string[]): Promise<number> {
  const [, , path, ...argv] = rawArguments(args);
  const isForeground = args[0] !== BEHIND;
  if (path === undefined) return 2;
  // Taking the terminal back from a stopped command is done from the background, which would stop us too.
  ignoreSignal(SIGTTOU);
  becomeControlled();
  dieWithHolder();
  const pid = start({ path, argv, given: args[1] ?? "-", isForeground });
  if (pid === null) return 1;
  // Neither a key nor a hang-up keeps us from reporting what became of the command.
  for (const signal of [SIGQUIT, SIGINT, SIGHUP]) ignoreSignal(signal);
  // One that has it may have given it to a group of its own by now.
  if (isForeground && libc().tcgetpgrp(TERMINAL) === libc().getpgrp()) libc().tcsetpgrp(TERMINAL, pid);
  report({ kind: "started", pid });
  supervise(pid, isForeground);
  return 0;
}

interface Start {
  path: Uint8Array;
  argv: Uint8Array[];
  /** The steps before the command runs, as text (limits.ts). */
  given: string;
  isForeground: boolean;
}

function start({ path, argv, given, isForeground }: Start): number | null {
  const limits = limitsFrom(given);
  const ignored = ignoredFrom(given);
  const group = entersGroup(given) ? GROUP_FD : null;
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

/** A command that runs in front is waited for; one in the background may be brought to the front at any time. */
function supervise(pid: number, startsInForeground: boolean): void {
  let isForeground = startsInForeground;
  let isStopped = false;
  for (;;) {
    const change = isStopped ? null : waitRaw(pid, { block: isForeground, stops: true });
    const status = change === null ? null : parseChange(change).status;
    if (change !== null && status !== null && status.kind !== "stopped") {
      // Our exit hangs up on the foreground group: with ourselves in front, what the command left running is spared.
      libc().tcsetpgrp(TERMINAL, libc().getpgrp());
      // Whoever is told of the end need not wait for ours to see that of the terminal.
      [0, 1, 2, STDERR_FD].forEach(closeQuietly);
      report({ kind: "changed", ...change });
      return;
    }
    if (change !== null && status !== null) {
      if (isEarly(status.value, pid)) {
        libc().kill(-pid, SIGCONT);
        continue;
      }
      // It keeps the terminal: keys that come before it is continued are for it.
      report({ kind: "changed", ...change });
      isStopped = true;
    }
    if ((pollNow(ORDER_FD, POLLIN, isStopped ? FOREVER : LOOK_MS) & POLLIN) === 0) continue;
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
 * Where a command cannot be given the terminal before it runs (platform/process/spawn.ts), one that used it in that moment was stopped for it. Nobody asked for
 * that, and it cannot happen to the group that has the terminal, so it is told from a real stop.
 */
function isEarly(signal: number, pid: number): boolean {
  return (signal === SIGTTIN || signal === SIGTTOU) && libc().tcgetpgrp(TERMINAL) === pid;
}

function report(what: LeaderReport): void {
  const record = encodeReport(what);
  libc().write(REPORT_FD, record, BigInt(record.length));
}

/** The runtime may have something else there. */
function isPipe(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false;
  }
}

/** If it is killed, so are we, and that is how the kernel hangs up on the command. */
function dieWithHolder(): void {
  const PR_SET_PDEATHSIG = 1;
  if (process.platform === "linux") libc().prctl(PR_SET_PDEATHSIG, BigInt(SIGKILL), 0n, 0n, 0n);
}

/** Linux made the terminal ours when it was opened as our stdin; the BSDs want to be asked. */
function becomeControlled(): void {
  if (process.platform !== "darwin") return;
  const TIOCSCTTY = 0x20007461n;
  libc().ioctl(TERMINAL, TIOCSCTTY, null);
}

/** What tcsetpgrp(3) may say. */
const NOT_GIVEN = new Set(["EINVAL", "EIO", "ENOSYS", "ENOTTY", "EPERM"]);

/** A terminal that cannot be given away is no reason not to run. SIGTTOU is ignored. */
export function startInForeground(spec: SpawnSpec, fds: ReadonlyMap<number, number>): number {
  try {
    return spawnCommand(spec, { fds, place: "new_foreground_group" });
  } catch (error) {
    if (!NOT_GIVEN.has(errnoOf(error) ?? "")) throw error;
    // execve(2) may say so as well: then a group has the terminal of which nothing is left.
    libc().tcsetpgrp(TERMINAL, libc().getpgrp());
    return spawnCommand(spec, { fds, place: "new_group" });
  }
}
