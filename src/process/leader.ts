/**
 * The leader: the first process of a terminal's session.
 *
 * A command that leads its session itself can never be stopped: its process group has no parent inside the session (it is
 * "orphaned"), so the kernel drops Ctrl-Z. So a leader stands between, as a shell would: it runs the command in a process
 * group of its own, gives that group the terminal, and tells the holder when the command stops or ends.
 *
 * It is this same executable, started with a terminal on 0, 1 and 2 and two pipes: it says things on REPORT_FD, a line
 * each, and is told things on ORDER_FD. It does nothing but wait, so it blocks in the calls themselves.
 */
import { fstatSync } from "node:fs";
import { libc } from "../platform/libc.ts";
import { ignoreSignal } from "../platform/signal-action.ts";
import { spawn, waitFor } from "../platform/spawn.ts";
import { errnoOf } from "../protocol/errors.ts";
import { ORDER_FD, REPORT_FD, STDERR_FD } from "./leader-launch.ts";
import { decodeStart, type StartOrder } from "./leader-order.ts";
import { rawEnvironment } from "./raw-arguments.ts";
import { withShellFallback } from "./spawn-command.ts";

const SIGTTIN = 21;
const SIGTTOU = 22;
const SIGCONT = 18;
const TERMINAL = 0;

export async function main(): Promise<number> {
  // Taking the terminal back from a stopped command is done from the background, which would stop us too.
  ignoreSignal(SIGTTOU);
  becomeControlled();
  const order = startOrder();
  if (order === null) return 1;
  const pid = start(order);
  if (pid === null) return 1;
  libc().tcsetpgrp(TERMINAL, pid);
  report(`started ${pid}`);
  supervise(pid);
  return 0;
}

function start({ sessionId, path, argv }: StartOrder): number | null {
  const env = rawEnvironment({ HOLT_SESSION_ID: sessionId });
  const fds = new Map(isOpen(STDERR_FD) ? [[2, STDERR_FD]] : []);
  try {
    return withShellFallback({ path, argv, env }, (spec) => spawn({ ...spec, fds, place: "own_group" }));
  } catch (error) {
    report(`failed ${errnoOf(error) ?? "EIO"}`);
    return null;
  }
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
        if (nextBytes(1) === null) return;
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
 * A command that used the terminal in the moment before it was given it was stopped for that. Nobody asked for it, and it
 * cannot happen to the group that has the terminal, so it is told from a real stop.
 */
function isEarly(signal: number, pid: number): boolean {
  return (signal === SIGTTIN || signal === SIGTTOU) && libc().tcgetpgrp(TERMINAL) === pid;
}

function report(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  libc().write(REPORT_FD, bytes, BigInt(bytes.length));
}

/** Null when the holder is gone. */
function startOrder(): StartOrder | null {
  const head = nextBytes(4);
  const body = head === null ? null : nextBytes(new DataView(head.buffer).getUint32(0, true));
  return body === null ? null : decodeStart(body);
}

function nextBytes(length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length; ) {
    const read = Number(libc().read(ORDER_FD, bytes.subarray(filled), BigInt(length - filled)));
    if (read <= 0) return null;
    filled += read;
  }
  return bytes;
}

function isOpen(fd: number): boolean {
  try {
    return fstatSync(fd).isFIFO();
  } catch {
    return false;
  }
}

/** Linux made the terminal ours when it was opened as our stdin; the BSDs want to be asked. */
function becomeControlled(): void {
  if (process.platform !== "darwin") return;
  const TIOCSCTTY = 0x20007461n;
  libc().ioctl(TERMINAL, TIOCSCTTY, null);
}
