/**
 * The soft limit on open files. A command has its caller's, as without holt: programs that look at every descriptor number, or that
 * call select(2), depend on it. holt's own is raised: a session on a terminal needs numbers up to 93, a holder and a daemon a few
 * for each client.
 *
 * The runtime raises it before any of our code runs and keeps no trace of what it was. The caller is our parent, so it is looked at there.
 */
import type { KernelLimit } from "./limits.ts";
import { libc } from "../native/libc.ts";
import { readProc } from "./processes.ts";

const RLIMIT_NOFILE = process.platform === "darwin" ? 8 : 7;
/** The most that Linux allows by default, and enough. */
const MOST = 1n << 20n;

/** The caller's, once it was looked up. */
let callers: bigint | null = null;

function current(): { soft: bigint; hard: bigint } {
  const [soft = 0n, hard = 0n] = limits();
  return { soft, hard };
}

function limits(): BigUint64Array {
  const both = new BigUint64Array(2);
  libc().getrlimit(RLIMIT_NOFILE, both);
  return both;
}

function set({ soft, hard }: { soft: bigint; hard: bigint }): void {
  libc().setrlimit(RLIMIT_NOFILE, BigUint64Array.of(soft, hard));
}

/** To be called before anything is opened or started. */
export function raiseOpenFiles(): void {
  callers ??= lookUp();
  const { soft, hard } = current();
  const wanted = hard < MOST ? hard : MOST;
  if (soft < wanted) set({ soft: wanted, hard });
}

/** The caller's limit on open files. */
export function callersOpenFiles(): number {
  return Number((callers ??= lookUp()));
}

/** A parent with another hard limit is not where ours comes from. */
function lookUp(): bigint {
  const { soft, hard } = current();
  const text = readProc(`/proc/${process.ppid}/limits`) ?? "";
  const [, theirs = "", most = ""] = /^Max open files +(\d+) +(\d+)/m.exec(text) ?? [];
  return theirs !== "" && BigInt(most) === hard && BigInt(theirs) < soft ? BigInt(theirs) : soft;
}

/** For a command that may have `most` files open; none where that is what it inherits anyway. */
export function openFilesLimit(most = callersOpenFiles()): KernelLimit[] {
  const { soft: ours, hard } = current();
  const soft = BigInt(most) < hard ? BigInt(most) : hard;
  return soft === ours ? [] : [{ resource: RLIMIT_NOFILE, soft, hard }];
}

/** The one limit of `all`, where that is the soft one of open files: ours can be lowered to it for a moment. */
export function onlyOpenFiles(all: readonly KernelLimit[]): KernelLimit | null {
  const [first, ...more] = all;
  return first?.resource === RLIMIT_NOFILE && first.hard === current().hard && more.length === 0 ? first : null;
}

/** A child that `work` starts inherits it. What is open already stays open. */
export function withOpenFiles<T>(limit: KernelLimit, work: () => T): T {
  const before = current();
  set(limit);
  try {
    return work();
  } finally {
    set(before);
  }
}
