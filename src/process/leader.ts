/**
 * The leader: the first process of a terminal's session.
 *
 * A command that leads its session itself can never be stopped: its process group has no parent inside the session (it is
 * "orphaned"), so the kernel drops Ctrl-Z. So a leader stands between, as a shell would: it runs the command in a process
 * group of its own, gives that group the terminal, and tells the holder when the command stops or ends.
 *
 * It is this same executable, started with a terminal on 0, 1 and 2 and two pipes: it says things on REPORT_FD, a line
 * each, and is told things on ORDER_FD, a byte each. It does nothing but wait, so it blocks in the calls themselves.
 */
import { libc } from "../platform/libc.ts";
import { spawn, waitFor } from "../platform/spawn.ts";
import { errnoOf } from "../protocol/errors.ts";
import { rawArguments, rawEnvironment } from "./raw-arguments.ts";
import { withShellFallback } from "./spawn-command.ts";

export const LEADER_COMMAND = "__leader";
export const REPORT_FD = 3;
export const ORDER_FD = 4;
/** Set only where stderr is no terminal: the pipe that takes its place. */
export const STDERR_FD = 5;
export const ORDER = { start: "s", resume: "c" } as const;

const SIGTTIN = 21;
const SIGTTOU = 22;
const SIGCONT = 18;
const TERMINAL = 0;

export async function main(args: string[]): Promise<number> {
  return lead(args);
}

/** Arguments: "stderr=pipe" or "stderr=terminal", the path to execute, then argv. */
function lead(args: string[]): number {
  const [stderr] = args;
  const [path, ...argv] = rawArguments(args.slice(1));
  if (path === undefined) return 2;
  // Taking the terminal back from a stopped command is done from the background, which would stop us too.
  ignore(SIGTTOU);
  becomeControlled();
  if (nextOrder() !== ORDER.start) return 1;
  let pid: number;
  try {
    pid = withShellFallback({ path, argv, env: rawEnvironment({}) }, (spec) =>
      spawn({ ...spec, fds: new Map(stderr === "stderr=pipe" ? [[2, STDERR_FD]] : []), place: "own_group" }),
    );
  } catch (error) {
    report(`failed ${errnoOf(error) ?? "EIO"}`);
    return 1;
  }
  libc().tcsetpgrp(TERMINAL, pid);
  report(`started ${pid}`);
  supervise(pid);
  return 0;
}

function supervise(pid: number): void {
  for (;;) {
    const change = waitFor(pid, { block: true, stops: true });
    if (change === null) return;
    const { status, usage } = change;
    if (status.kind === "stopped" || status.kind === "continued") {
      if (!isEarly(status.value, pid)) {
        libc().tcsetpgrp(TERMINAL, libc().getpgrp());
        report(`stopped ${status.value}`);
        if (nextOrder() === null) return;
        libc().tcsetpgrp(TERMINAL, pid);
      }
      libc().kill(-pid, SIGCONT);
      continue;
    }
    // Our exit hangs up on the foreground group: with ourselves in front, what the command left running is spared.
    libc().tcsetpgrp(TERMINAL, libc().getpgrp());
    report(`ended ${status.kind} ${status.value} ${usage.userMs} ${usage.systemMs} ${usage.maxRssKb}`);
    return;
  }
}

/**
 * A command that used the terminal in the moment before it was given it was stopped for that. Nobody asked for it, and it cannot happen to
 * the group that has the terminal, so it is told from a real stop.
 */
function isEarly(signal: number, pid: number): boolean {
  return (signal === SIGTTIN || signal === SIGTTOU) && libc().tcgetpgrp(TERMINAL) === pid;
}

function report(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  libc().write(REPORT_FD, bytes, BigInt(bytes.length));
}

/** Null when the holder is gone. */
function nextOrder(): string | null {
  const byte = new Uint8Array(1);
  return Number(libc().read(ORDER_FD, byte, 1n)) === 1 ? String.fromCharCode(byte[0] ?? 0) : null;
}

function ignore(signal: number): void {
  const action = new Uint8Array(152);
  action[0] = 1;
  libc().sigaction(signal, action, null);
}

/** Linux made the terminal ours when it was opened as our stdin; the BSDs want to be asked. */
function becomeControlled(): void {
  if (process.platform !== "darwin") return;
  const TIOCSCTTY = 0x20007461n;
  libc().ioctl(TERMINAL, TIOCSCTTY, null);
}
