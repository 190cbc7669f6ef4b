/**
 * The soft limit on open files. A command gets its caller's, as without holt: programs that try
 * every descriptor number, or call select(2), depend on it. holt raises its own: a session on a
 * terminal needs numbers up to 93, a holder and a daemon need a few for each client.
 *
 * The runtime raises the limit before any of our code runs and does not keep the old value, so the
 * caller's is read from the parent process.
 */
import type { KernelLimit } from "./limits.ts";
import { libc } from "../native/libc.ts";
import { readProc } from "./processes.ts";

const RLIMIT_NOFILE = process.platform === "darwin" ? 8 : 7;
/** The most that Linux allows by default (fs.nr_open). */
const MAX_OPEN_FILES = 1n << 20n;

/** The caller's soft limit, cached by the first lookup. */
let callersLimit: bigint | null = null;

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

/** Raises this process's limit. Call it before any file is opened or process started. */
export function raiseOpenFiles(): void {
  callersLimit ??= lookUp();
  const { soft, hard } = current();
  const wanted = hard < MAX_OPEN_FILES ? hard : MAX_OPEN_FILES;
  if (soft < wanted) set({ soft: wanted, hard });
}

/** The caller's soft limit on open files. */
export function callersOpenFiles(): number {
  return Number((callersLimit ??= lookUp()));
}

/** Reads the parent's limit. A parent with another hard limit is not the source of ours. */
function lookUp(): bigint {
  const { soft, hard } = current();
  const text = readProc(`/proc/${process.ppid}/limits`) ?? "";
  const [, parentSoft = "", max = ""] = /^Max open files +(\d+) +(\d+)/m.exec(text) ?? [];
  return parentSoft !== "" && BigInt(max) === hard && BigInt(parentSoft) < soft ? BigInt(parentSoft) : soft;
}

/** The limit to set for a command that may open `most` files; none where it inherits just that. */
export function openFilesLimit(max = callersOpenFiles()): KernelLimit[] {
  const { soft: ours, hard } = current();
  const soft = BigInt(max) < hard ? BigInt(max) : hard;
  return soft === ours ? [] : [{ resource: RLIMIT_NOFILE, soft, hard }];
}

/**
 * The only limit in `all`, if it is the soft limit on open files: ours can be lowered to it
 * briefly.
 */
export function soleOpenFilesLimit(all: readonly KernelLimit[]): KernelLimit | null {
  const [first, ...more] = all;
  return first?.resource === RLIMIT_NOFILE && first.hard === current().hard && more.length === 0 ? first : null;
}

/** Runs `work` under `limit`, which its children inherit. Files already open stay open. */
export function withOpenFiles<T>(limit: KernelLimit, work: () => T): T {
  const before = current();
  set(limit);
  try {
    return work();
  } finally {
    set(before);
  }
}
