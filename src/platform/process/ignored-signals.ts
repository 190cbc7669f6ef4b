/**
 * Signals that the caller ignores (nohup, `trap ''`). A command inherits them, so they are read
 * before holt installs handlers.
 *
 * The runtime changes some before any of our code runs: it ignores SIGPIPE and SIGXFSZ, and on a
 * terminal it catches SIGINT and SIGTERM. A shell passes on the signals that it ignores, so for
 * these the parent is read, if it is a shell. Other programs ignore signals for themselves alone
 * (Python SIGPIPE, system(3) SIGINT).
 */
import { readlinkSync } from "../fs/libc-fs.ts";
import { readProc } from "./processes.ts";
import { ignoreSignal } from "./signal-action.ts";

const SIGINT = 2;
const SIGPIPE = 13;
const SIGTERM = 15;
const SIGTSTP = 20;
const SIGXFSZ = 25;
/**
 * Without 32 and 33: every libc reserves them for its threads, and posix_spawn may leave them
 * ignored.
 */
const SIGNALS = Array.from({ length: 64 }, (_, i) => i + 1).filter((signal) => signal !== 32 && signal !== 33);
const SHELL = /\/(?:(?:ba|da|a|z|fi|[mp]?dk|k|mk|ya)?sh|busybox)(?:[-.\d]*)$/;

interface Status {
  parent: number;
  ignores: (signal: number) => boolean;
  catches: (signal: number) => boolean;
}

/** Returns the caller's ignored signals, and ignores them in this process as well. */
export function inheritIgnoredSignals(): readonly number[] {
  const own = statusOf("self");
  if (own === null) return [];
  const overwritten = [SIGPIPE, SIGXFSZ, ...[SIGINT, SIGTERM].filter(own.catches)];
  const shell = shellAt(own.parent);
  // An interactive shell ignores SIGTERM and SIGTSTP for itself, not for its children.
  const isInteractive = shell !== null && shell.ignores(SIGTSTP) && !own.ignores(SIGTSTP);
  const passedOn = (signal: number): boolean =>
    shell?.ignores(signal) === true && !(isInteractive && signal === SIGTERM);
  const found = SIGNALS.filter((signal) => (overwritten.includes(signal) ? passedOn(signal) : own.ignores(signal)));
  found.filter((signal) => overwritten.includes(signal)).forEach(ignoreSignal);
  return found;
}

function shellAt(pid: number): Status | null {
  try {
    return SHELL.test(readlinkSync(`/proc/${pid}/exe`)) ? statusOf(String(pid)) : null;
  } catch {
    return null; // another user's process, or outside this pid namespace
  }
}

function statusOf(pid: string): Status | null {
  const text = readProc(`/proc/${pid}/status`);
  if (text === null) return null;
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\w+)`, "m").exec(text)?.[1] ?? "0";
  const bits = (name: string): ((signal: number) => boolean) => {
    const all = BigInt(`0x${field(name)}`);
    return (signal) => ((all >> BigInt(signal - 1)) & 1n) === 1n;
  };
  return { parent: Number(field("PPid")), ignores: bits("SigIgn"), catches: bits("SigCgt") };
}
