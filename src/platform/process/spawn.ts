/**
 * Spawns a process by posix_spawn through FFI. Bun.spawn cannot choose a process group or terminal
 * session, uses sockets as pipes (`echo x >/dev/stderr` fails on them), and takes arguments as
 * text, where a file name may be any bytes.
 */
import { dlopen, ptr } from "bun:ffi";
import { errnoName } from "../native/constants.ts";
import { closeQuietly, privateCopy } from "../fs/descriptors.ts";
import { cstring, libc, SystemError } from "../native/libc.ts";

const DARWIN = process.platform === "darwin";
const SIGPIPE = 13;
const SIGTTOU = 22;
const SIGXFSZ = 25;
const SETPGROUP = 0x02;
const SETSIGDEF = 0x04;
const SETSID = DARWIN ? 0x400 : 0x80;

export interface SpawnRequest {
  path: Uint8Array;
  argv: readonly Uint8Array[];
  env: readonly Uint8Array[];
  /** Child's descriptor → ours. 0, 1 and 2 are inherited where not named. */
  fds: ReadonlyMap<number, number>;
  /**
   * The child's process group: ours, a new one in our session, a new one that also gets our
   * terminal, or a new session.
   */
  place: "same_group" | "new_group" | "new_foreground_group" | "new_session";
  /** Opened as the child's stdin after setsid, so that it becomes the controlling terminal. */
  terminal?: string;
  /**
   * "default": all signals get their default, as in a login. "inherit": the caller's ignored ones
   * stay so (nohup).
   */
  signals?: "inherit" | "default";
  /**
   * With "inherit": signals that stay ignored although the runtime or a leader ignores them for
   * itself too.
   */
  ignored?: readonly number[];
  /** Called directly before the system call, when all else is prepared. */
  justBefore?: () => void;
}

/** Reserved by glibc. Its posix_spawn leaves them ignored in the child, unlike a shell's fork. */
const LIBC_SIGNALS = process.platform === "linux" ? [32, 33] : [];
const ALL_SIGNALS = Array.from({ length: DARWIN ? 31 : 64 }, (_, i) => i + 1);

/**
 * Returns the child's pid. Throws SystemError with the errno of execve (ENOENT, EACCES, ENOEXEC …).
 */
export function spawn(request: SpawnRequest): number {
  const { path, argv, env, fds, place, terminal, signals = "inherit", ignored = [], justBefore } = request;
  // Larger than any libc's own structures.
  const actions = new Uint8Array(512);
  const attributes = new Uint8Array(512);
  const pid = new Int32Array(1);
  const keep: Uint8Array[] = [];
  const moved: number[] = [];
  const isOwnGroup = place === "new_group" || place === "new_foreground_group";
  libc().posix_spawn_file_actions_init(actions);
  libc().posix_spawnattr_init(attributes);
  try {
    if (terminal !== undefined) {
      const O_RDWR = 2;
      libc().posix_spawn_file_actions_addopen(actions, 0, retain(keep, cstring(terminal)), O_RDWR, 0);
      for (const fd of [1, 2]) libc().posix_spawn_file_actions_adddup2(actions, 0, fd);
    }
    for (const [child, ours] of fds)
      libc().posix_spawn_file_actions_adddup2(
        actions,
        child === ours ? ours : withoutCollision(ours, fds, moved),
        child,
      );
    if (place === "new_foreground_group") addForeground(actions, 0);
    // The runtime ignores SIGPIPE and SIGXFSZ, a leader SIGTTOU. A command must not inherit that:
    // `yes | head` would never end.
    const ours = [SIGPIPE, SIGXFSZ, ...LIBC_SIGNALS, ...(isOwnGroup ? [SIGTTOU] : [])];
    const reset = signals === "default" ? ALL_SIGNALS : ours.filter((signal) => !ignored.includes(signal));
    libc().posix_spawnattr_setsigdefault(attributes, signalSet(reset));
    libc().posix_spawnattr_setpgroup(attributes, 0);
    const placeFlag = isOwnGroup ? SETPGROUP : place === "new_session" ? SETSID : 0;
    libc().posix_spawnattr_setflags(attributes, SETSIGDEF | placeFlag);
    const file = retain(keep, terminated(path));
    const [argvp, envp] = [argumentVector(argv, keep), argumentVector(env, keep)];
    justBefore?.();
    const error = libc().posix_spawn(pid, file, actions, attributes, argvp, envp);
    if (error !== 0) throw new SystemError("posix_spawn", errnoName(error));
    return pid[0] ?? -1;
  } finally {
    libc().posix_spawn_file_actions_destroy(actions);
    libc().posix_spawnattr_destroy(attributes);
    keep.length = 0;
    moved.forEach(closeQuietly);
  }
}

/**
 * dup2 calls run in sequence: a source descriptor with a later target's number would be
 * overwritten.
 */
function withoutCollision(ours: number, fds: ReadonlyMap<number, number>, moved: number[]): number {
  if (!fds.has(ours)) return ours;
  const copy = privateCopy(ours, Math.max(...fds.keys()) + 1);
  moved.push(copy);
  return copy;
}

/**
 * A NULL-terminated array of pointers into one buffer of C strings. `keep` retains it until the
 * call is over.
 */
export function argumentVector(strings: readonly Uint8Array[], keep: Uint8Array[]): BigUint64Array {
  const text = storage(strings.reduce((sum, { length }) => sum + length + 1, 0));
  const base = BigInt(ptr(retain(keep, text)));
  const pointers = new BigUint64Array(strings.length + 1);
  let at = 0;
  for (const [i, string] of strings.entries()) {
    pointers[i] = base + BigInt(at);
    text.set(string, at);
    at += string.length + 1;
  }
  return pointers;
}

function retain(keep: Uint8Array[], bytes: Uint8Array): Uint8Array {
  keep.push(bytes);
  return bytes;
}

function terminated(bytes: Uint8Array): Uint8Array {
  const copy = storage(bytes.length + 1);
  copy.set(bytes);
  return copy;
}

/** A typed array over 1,000 bytes has storage that never moves; a shorter one's may move. */
function storage(length: number): Uint8Array {
  return new Uint8Array(Math.max(length, 1024));
}

function signalSet(signals: readonly number[]): Uint8Array {
  const set = new Uint8Array(128);
  for (const signal of signals) set[(signal - 1) >> 3] = (set[(signal - 1) >> 3] ?? 0) | (1 << ((signal - 1) & 7));
  return set;
}

type AddForeground = (actions: Uint8Array, terminal: number) => number;
let cachedAddForeground: AddForeground | null | undefined;

/**
 * Adds a step to posix_spawn: the child's group gets the terminal before the child runs, as in a
 * shell. Needs glibc 2.35. Without it, a command that reads the terminal at once is stopped, and
 * the leader continues it.
 */
function addForeground(actions: Uint8Array, terminal: number): void {
  if (cachedAddForeground === undefined) cachedAddForeground = linkAddForeground();
  cachedAddForeground?.(actions, terminal);
}

function linkAddForeground(): AddForeground | null {
  if (process.platform !== "linux") return null;
  const name = "posix_spawn_file_actions_addtcsetpgrp_np";
  try {
    return dlopen("libc.so.6", { [name]: { args: ["ptr", "int"], returns: "int" } }).symbols[name];
  } catch {
    return null;
  }
}
