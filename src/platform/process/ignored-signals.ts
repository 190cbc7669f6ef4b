/**
 * Signals that the caller ignores (nohup, `trap ''`): a command inherits that, so it is found out before we handle any.
 *
 * The runtime has set some before any of our code runs: it ignores SIGPIPE and SIGXFSZ, and on a terminal it catches SIGINT and SIGTERM. What they were is not kept
 * anywhere, but a shell passes on what it ignores itself, so our parent is looked at where it is a shell. Other programs ignore signals for themselves alone (Python
 * SIGPIPE, system(3) SIGINT), and tell nothing about their children.
 */
import { readlinkSync } from "../fs/libc-fs.ts";
import { readProc } from "./processes.ts";
import { ignoreSignal } from "./signal-action.ts";

const SIGINT = 2;
const SIGPIPE = 13;
const SIGTERM = 15;
const SIGTSTP = 20;
const SIGXFSZ = 25;
/** 32 and 33 are kept by every libc for its own threads; posix_spawn may leave them ignored. */
const SIGNALS = Array.from({ length: 64 }, (_, i) => i + 1).filter((signal) => signal !== 32 && signal !== 33);
const SHELL = /\/(?:(?:ba|da|a|z|fi|[mp]?dk|k|mk|ya)?sh|busybox)(?:[-.\d]*)$/;

interface Status {
  parent: number;
  ignores: (signal: number) => boolean;
  catches: (signal: number) => boolean;
}

/** They are ignored here as well from now on. */
export function inheritIgnoredSignals(): readonly number[] {
  const own = statusOf("self");
  if (own === null) return [];
  const hidden = [SIGPIPE, SIGXFSZ, ...[SIGINT, SIGTERM].filter(own.catches)];
  const shell = shellAt(own.parent);
  // An interactive shell ignores SIGTERM and SIGTSTP for itself; what it ignores for its children, too, is not to be told from that.
  const isInteractive = shell !== null && shell.ignores(SIGTSTP) && !own.ignores(SIGTSTP);
  const passedOn = (signal: number): boolean =>
    shell?.ignores(signal) === true && !(isInteractive && signal === SIGTERM);
  const found = SIGNALS.filter((signal) => (hidden.includes(signal) ? passedOn(signal) : own.ignores(signal)));
  found.filter((signal) => hidden.includes(signal)).forEach(ignoreSignal);
  return found;
}

function shellAt(pid: number): Status | null {
  try {
    return SHELL.test(readlinkSync(`/proc/${pid}/exe`)) ? statusOf(String(pid)) : null;
  } catch {
    return null; // another user's, or outside of our pid namespace
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
