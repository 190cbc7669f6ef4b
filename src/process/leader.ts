/**
 * The leader: the first process of a terminal's session.
 *
 * A command that leads its session itself can never be stopped: its process group has no parent inside the session (it is
 * "orphaned"), so the kernel drops Ctrl-Z. So a leader stands between, as a shell would: it runs the command in a process
 * group of its own, gives that group the terminal, and tells the holder when the command stops or ends.
 *
 * It is started with a terminal on 0, 1 and 2 and two pipes: it reports on REPORT_FD (leader-report.ts), and after a stop
 * a byte on ORDER_FD tells it to continue the command. It does nothing but wait, so it blocks in the calls themselves.
 * Where a small native program can take this part it does (native/leader.c): the two are alike, step by step.
 */
import { fstatSync } from "node:fs";
import { constants } from "node:os";
import { closeQuietly } from "../platform/descriptors.ts";
import { libc } from "../platform/libc.ts";
import { entersGroup, ignoredFrom, limitsFrom } from "../platform/limits.ts";
import { ignoreSignal } from "../platform/signal-action.ts";
import { parseChange, waitRaw } from "../platform/wait.ts";
import { errnoOf } from "../protocol/errors.ts";
import { GROUP_FD, ORDER_FD, REPORT_FD, STDERR_FD } from "./report-fds.ts";
import { encodeReport, type Report } from "./leader-report.ts";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import { inheritedEnvironment, rawArguments } from "../platform/raw-arguments.ts";
import { startInFront } from "./start-in-front.ts";

const { SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTTIN, SIGTTOU } = constants.signals;
const TERMINAL = 0;

/** Arguments: the command's limits, the path to execute, then argv. */
export async function main(args: string[]): Promise<number> {
  const [, path, ...argv] = rawArguments(args);
  if (path === undefined) return 2;
  // Taking the terminal back from a stopped command is done from the background, which would stop us too.
  ignoreSignal(SIGTTOU);
  becomeControlled();
  dieWithHolder();
  const pid = start(path, argv, args[0] ?? "-");
  if (pid === null) return 1;
  // Neither a key nor a hang-up keeps us from reporting what became of the command.
  for (const signal of [SIGQUIT, SIGINT, SIGHUP]) ignoreSignal(signal);
  // One that has it may have given it to a group of its own by now.
  if (libc().tcgetpgrp(TERMINAL) === libc().getpgrp()) libc().tcsetpgrp(TERMINAL, pid);
  report({ kind: "started", pid });
  supervise(pid);
  return 0;
}

function start(path: Uint8Array, argv: Uint8Array[], given: string): number | null {
  const limits = limitsFrom(given);
  const ignored = ignoredFrom(given);
  const group = entersGroup(given) ? GROUP_FD : null;
  const ours = [REPORT_FD, ORDER_FD, STDERR_FD, ...(group === null ? [] : [group])];
  const inherited = inheritedDescriptors().filter((fd) => !ours.includes(fd));
  const fds = new Map(inherited.map((fd) => [fd, fd]));
  if (isPipe(STDERR_FD)) fds.set(2, STDERR_FD);
  try {
    return startInFront({ path, argv, env: inheritedEnvironment(), inherited, limits, ignored, group }, fds);
  } catch (error) {
    const errno: Record<string, number> = constants.errno;
    report({ kind: "failed", errno: errno[errnoOf(error) ?? "EIO"] ?? 5 });
    return null;
  }
}

function supervise(pid: number): void {
  for (;;) {
    const change = waitRaw(pid, { block: true, stops: true });
    if (change === null) return;
    const { status } = parseChange(change);
    if (status.kind !== "stopped") {
      // Our exit hangs up on the foreground group: with ourselves in front, what the command left running is spared.
      libc().tcsetpgrp(TERMINAL, libc().getpgrp());
      // Whoever is told of the end need not wait for ours to see that of the terminal.
      [0, 1, 2, STDERR_FD].forEach(closeQuietly);
      report({ kind: "changed", ...change });
      return;
    }
    if (!isEarly(status.value, pid)) {
      // It keeps the terminal: keys that come before it is continued are for it.
      report({ kind: "changed", ...change });
      if (Number(libc().read(ORDER_FD, new Uint8Array(1), 1n)) !== 1) return;
      libc().tcsetpgrp(TERMINAL, pid);
    }
    libc().kill(-pid, SIGCONT);
  }
}

/**
 * Where a command cannot be given the terminal before it runs (platform/front.ts), one that used it in that moment was stopped for it. Nobody asked for
 * that, and it cannot happen to the group that has the terminal, so it is told from a real stop.
 */
function isEarly(signal: number, pid: number): boolean {
  return (signal === SIGTTIN || signal === SIGTTOU) && libc().tcgetpgrp(TERMINAL) === pid;
}

function report(what: Report): void {
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
