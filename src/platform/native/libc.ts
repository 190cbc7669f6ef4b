/**
 * libc through FFI: calls that Bun lacks, and calls for which Bun would load a large module into
 * each holder. Loaded at the first call, in about 0.3 ms.
 *
 * A typed array passed as `ptr` is borrowed for the call only. Where the kernel or a thread keeps
 * the address (a polled buffer, a signal handler), the memory must come from mmap.
 */
import { dlopen, type FFIFunction, FFIType, type Library, type Pointer, read } from "bun:ffi";
import { errnoName } from "./constants.ts";
import { bytesOf, joined, textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";

const SYMBOLS = {
  accept: { args: ["int", "ptr", "ptr"], returns: "int" },
  access: { args: ["ptr", "int"], returns: "int" },
  bind: { args: ["int", "ptr", "u32"], returns: "int" },
  chdir: { args: ["ptr"], returns: "int" },
  clock_gettime: { args: ["int", "ptr"], returns: "int" },
  close: { args: ["int"], returns: "int" },
  closedir: { args: ["ptr"], returns: "int" },
  connect: { args: ["int", "ptr", "u32"], returns: "int" },
  dup2: { args: ["int", "int"], returns: "int" },
  epoll_create1: { args: ["int"], returns: "int" },
  epoll_ctl: { args: ["int", "int", "int", "ptr"], returns: "int" },
  eventfd: { args: ["u32", "int"], returns: "int" },
  execve: { args: ["ptr", "ptr", "ptr"], returns: "int" },
  fallocate: { args: ["int", "int", "i64", "i64"], returns: "int" },
  fchmod: { args: ["int", "u32"], returns: "int" },
  fcntl: { args: ["int", "int", "int"], returns: "int" },
  flock: { args: ["int", "int"], returns: "int" },
  fsync: { args: ["int"], returns: "int" },
  ftruncate: { args: ["int", "i64"], returns: "int" },
  getpgrp: { args: [], returns: "int" },
  getpriority: { args: ["int", "u32"], returns: "int" },
  getrlimit: { args: ["int", "ptr"], returns: "int" },
  getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" },
  inotify_add_watch: { args: ["int", "ptr", "u32"], returns: "int" },
  inotify_init1: { args: ["int"], returns: "int" },
  inotify_rm_watch: { args: ["int", "int"], returns: "int" },
  ioctl: { args: ["int", "u64", "ptr"], returns: "int" },
  kill: { args: ["int", "int"], returns: "int" },
  listen: { args: ["int", "int"], returns: "int" },
  memfd_create: { args: ["ptr", "u32"], returns: "int" },
  mkdir: { args: ["ptr", "u32"], returns: "int" },
  mkdirat: { args: ["int", "ptr", "u32"], returns: "int" },
  mmap: { args: ["ptr", "u64", "int", "int", "int", "i64"], returns: "ptr" },
  mprotect: { args: ["ptr", "u64", "int"], returns: "int" },
  open: { args: ["ptr", "int", "u32"], returns: "int" },
  openat: { args: ["int", "ptr", "int", "u32"], returns: "int" },
  opendir: { args: ["ptr"], returns: "ptr" },
  pipe: { args: ["ptr"], returns: "int" },
  pipe2: { args: ["ptr", "int"], returns: "int" },
  poll: { args: ["ptr", "u64", "int"], returns: "int" },
  ppoll: { args: ["ptr", "u64", "ptr", "ptr"], returns: "int" },
  posix_openpt: { args: ["int"], returns: "int" },
  posix_spawn: { args: ["ptr", "ptr", "ptr", "ptr", "ptr", "ptr"], returns: "int" },
  posix_spawn_file_actions_adddup2: { args: ["ptr", "int", "int"], returns: "int" },
  posix_spawn_file_actions_addopen: { args: ["ptr", "int", "ptr", "int", "u32"], returns: "int" },
  posix_spawn_file_actions_destroy: { args: ["ptr"], returns: "int" },
  posix_spawn_file_actions_init: { args: ["ptr"], returns: "int" },
  posix_spawnattr_destroy: { args: ["ptr"], returns: "int" },
  posix_spawnattr_init: { args: ["ptr"], returns: "int" },
  posix_spawnattr_setflags: { args: ["ptr", "i16"], returns: "int" },
  posix_spawnattr_setpgroup: { args: ["ptr", "int"], returns: "int" },
  posix_spawnattr_setsigdefault: { args: ["ptr", "ptr"], returns: "int" },
  prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
  pread: { args: ["int", "ptr", "u64", "i64"], returns: FFIType.i64_fast },
  pthread_attr_init: { args: ["ptr"], returns: "int" },
  pthread_attr_setdetachstate: { args: ["ptr", "int"], returns: "int" },
  pthread_attr_setstacksize: { args: ["ptr", "u64"], returns: "int" },
  pthread_create: { args: ["ptr", "ptr", "ptr", "ptr"], returns: "int" },
  pthread_join: { args: ["u64", "ptr"], returns: "int" },
  pthread_sigmask: { args: ["int", "ptr", "ptr"], returns: "int" },
  ptsname_r: { args: ["int", "ptr", "u64"], returns: "int" },
  pwrite: { args: ["int", "ptr", "u64", "i64"], returns: FFIType.i64_fast },
  read: { args: ["int", "ptr", "u64"], returns: FFIType.i64_fast },
  readdir: { args: ["ptr"], returns: "ptr" },
  readlink: { args: ["ptr", "ptr", "u64"], returns: FFIType.i64_fast },
  rename: { args: ["ptr", "ptr"], returns: "int" },
  renameat: { args: ["int", "ptr", "int", "ptr"], returns: "int" },
  sched_yield: { args: [], returns: "int" },
  sem_post: { args: ["ptr"], returns: "int" },
  sem_wait: { args: ["ptr"], returns: "int" },
  setrlimit: { args: ["int", "ptr"], returns: "int" },
  sigaction: { args: ["int", "ptr", "ptr"], returns: "int" },
  socket: { args: ["int", "int", "int"], returns: "int" },
  socketpair: { args: ["int", "int", "int", "ptr"], returns: "int" },
  statx: { args: ["int", "ptr", "int", "u32", "ptr"], returns: "int" },
  tcgetattr: { args: ["int", "ptr"], returns: "int" },
  tcgetpgrp: { args: ["int"], returns: "int" },
  tcsetattr: { args: ["int", "int", "ptr"], returns: "int" },
  tcsetpgrp: { args: ["int", "int"], returns: "int" },
  unlink: { args: ["ptr"], returns: "int" },
  rmdir: { args: ["ptr"], returns: "int" },
  unlinkat: { args: ["int", "ptr", "int"], returns: "int" },
  unlockpt: { args: ["int"], returns: "int" },
  utimensat: { args: ["int", "ptr", "ptr", "int"], returns: "int" },
  wait4: { args: ["int", "ptr", "int", "ptr"], returns: "int" },
  waitid: { args: ["int", "u32", "ptr", "int"], returns: "int" },
  write: { args: ["int", "ptr", "u64"], returns: FFIType.i64_fast },
} as const;

/**
 * An already loaded name: for any other the runtime would also search the working directory. musl
 * accepts this name as its own.
 */
const LIBRARY = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
const LINUX_ONLY: readonly string[] = [
  "epoll_create1",
  "epoll_ctl",
  "eventfd",
  "fallocate",
  "inotify_add_watch",
  "inotify_init1",
  "inotify_rm_watch",
  "memfd_create",
  "pipe2",
  "ppoll",
  "prctl",
  "statx",
];
const ERRNO_LOCATION = process.platform === "darwin" ? "__error" : "__errno_location";

type Libc = Library<typeof SYMBOLS>["symbols"] & { errnoLocation: () => Pointer | null };

/**
 * Linked at once: the symbols that a single-request client uses. The rest is linked together at the
 * first use of any of them. Each linked symbol costs memory.
 */
const EAGER_SYMBOLS = [
  "close",
  "connect",
  "fcntl",
  "getpriority",
  "getrlimit",
  "getsockopt",
  "mmap",
  "open",
  "poll",
  "pthread_attr_init",
  "pthread_attr_setstacksize",
  "pthread_create",
  "pthread_join",
  "read",
  "readlink",
  "sem_post",
  "sem_wait",
  "socket",
  "statx",
  "write",
] as const;

function open(): Libc {
  const linked = link(EAGER_SYMBOLS);
  const rest = Object.keys(SYMBOLS).filter((symbol) => !(symbol in linked));
  for (const symbol of rest) {
    Object.defineProperty(linked, symbol, {
      configurable: true,
      get() {
        for (const [name, value] of Object.entries(link(rest))) Object.defineProperty(linked, name, { value });
        return linked[symbol];
      },
    });
  }
  return linked as unknown as Libc;
}

function link(symbols: readonly string[]): Record<string, unknown> {
  const wanted: Record<string, FFIFunction> = { [ERRNO_LOCATION]: { args: [], returns: "ptr" } };
  for (const symbol of symbols)
    if (process.platform === "linux" || !LINUX_ONLY.includes(symbol))
      wanted[symbol] = SYMBOLS[symbol as keyof typeof SYMBOLS];
  try {
    const { [ERRNO_LOCATION]: errnoLocation, ...linked }: Record<string, unknown> = dlopen(LIBRARY, wanted).symbols;
    return { ...linked, errnoLocation };
  } catch (error) {
    throw cannotLink(error);
  }
}

/**
 * The runtime disables its JIT when memory limits leave no room for compiled code; FFI needs it.
 */
function cannotLink(cause: unknown): HoltError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (!message.includes("JIT")) return new HoltError("EIO", `cannot use ${LIBRARY}: ${message}`, { cause });
  return new HoltError("ERLIMIT", `the runtime may have too little memory: ${message}`, {
    hint: "allow holt 4 GiB of addresses and of data: `ulimit -v` and `ulimit -d` show the limits",
    cause,
  });
}

let opened: Libc | null = null;

export function libc(): Libc {
  opened ??= open();
  return opened;
}

/**
 * The name of the last failed call's error, such as "EAGAIN". Call at once: any other call may
 * change it.
 */
export function lastErrno(): string {
  errnoPointer ??= libc().errnoLocation();
  return errnoName(errnoPointer === null ? 0 : read.i32(errnoPointer));
}

/** The address of errno for this thread, the only one that loads this module. */
let errnoPointer: Pointer | null = null;

export class SystemError extends Error {
  override readonly name = "SystemError";
  readonly code: string;
  readonly syscall: string;

  constructor(syscall: string, code: string, subject?: string) {
    super(`${code}: ${syscall}${subject === undefined ? "" : ` ${subject}`}`);
    this.code = code;
    this.syscall = syscall;
  }
}

/** Returns the result; throws SystemError when it is -1. */
export function checked(result: number | bigint, syscall: string, subject?: string): number {
  if (Number(result) >= 0) return Number(result);
  throw new SystemError(syscall, lastErrno(), subject);
}

export function shownName(name: string | Uint8Array): string {
  return typeof name === "string" ? name : textOf(name);
}

/** A NUL-terminated copy. Throws for a NUL inside: the kernel would read a shorter name. */
export function cstring(text: string | Uint8Array): Uint8Array {
  const bytes = typeof text === "string" ? bytesOf(`${text}\0`) : joined([text, NUL]);
  if (bytes.indexOf(0) < bytes.length - 1) throw new SystemError("name", "EINVAL", JSON.stringify(shownName(text)));
  return bytes;
}

const NUL = new Uint8Array(1);
