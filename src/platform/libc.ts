/**
 * libc through FFI: what neither Bun nor node:fs can ask for. Loaded at the first call, about 0.2 ms.
 *
 * A typed array passed as `ptr` is only borrowed for the call. Where the kernel keeps the address (a buffer that a
 * thread polls, a signal handler) the memory comes from mmap and is never collected.
 */
import { dlopen, type FFIFunction, FFIType, type Library, type Pointer, read } from "bun:ffi";
import { constants } from "node:os";

const SYMBOLS = {
  eventfd: { args: ["u32", "int"], returns: "int" },
  fcntl: { args: ["int", "int", "int"], returns: "int" },
  flock: { args: ["int", "int"], returns: "int" },
  getpgrp: { args: [], returns: "int" },
  ioctl: { args: ["int", "u64", "ptr"], returns: "int" },
  kill: { args: ["int", "int"], returns: "int" },
  memfd_create: { args: ["ptr", "u32"], returns: "int" },
  mkdirat: { args: ["int", "ptr", "u32"], returns: "int" },
  mmap: { args: ["ptr", "u64", "int", "int", "int", "i64"], returns: "ptr" },
  mprotect: { args: ["ptr", "u64", "int"], returns: "int" },
  openat: { args: ["int", "ptr", "int", "u32"], returns: "int" },
  pipe: { args: ["ptr"], returns: "int" },
  poll: { args: ["ptr", "u64", "int"], returns: "int" },
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
  ptsname_r: { args: ["int", "ptr", "u64"], returns: "int" },
  prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
  pwrite: { args: ["int", "ptr", "u64", "i64"], returns: FFIType.i64_fast },
  pthread_attr_init: { args: ["ptr"], returns: "int" },
  pthread_attr_setdetachstate: { args: ["ptr", "int"], returns: "int" },
  pthread_attr_setstacksize: { args: ["ptr", "u64"], returns: "int" },
  pthread_create: { args: ["ptr", "ptr", "ptr", "ptr"], returns: "int" },
  pthread_sigmask: { args: ["int", "ptr", "ptr"], returns: "int" },
  read: { args: ["int", "ptr", "u64"], returns: FFIType.i64_fast },
  renameat: { args: ["int", "ptr", "int", "ptr"], returns: "int" },
  setrlimit: { args: ["int", "ptr"], returns: "int" },
  sigaction: { args: ["int", "ptr", "ptr"], returns: "int" },
  tcgetattr: { args: ["int", "ptr"], returns: "int" },
  tcgetpgrp: { args: ["int"], returns: "int" },
  tcsetattr: { args: ["int", "int", "ptr"], returns: "int" },
  tcsetpgrp: { args: ["int", "int"], returns: "int" },
  unlinkat: { args: ["int", "ptr", "int"], returns: "int" },
  unlockpt: { args: ["int"], returns: "int" },
  wait4: { args: ["int", "ptr", "int", "ptr"], returns: "int" },
  write: { args: ["int", "ptr", "u64"], returns: FFIType.i64_fast },
} as const;

const LINUX_ONLY: readonly string[] = ["eventfd", "memfd_create", "prctl"];
const ERRNO_LOCATION = process.platform === "darwin" ? "__error" : "__errno_location";

type Libc = Library<typeof SYMBOLS>["symbols"] & { errnoLocation: () => Pointer | null };

function open(): Libc {
  const wanted: Record<string, FFIFunction> = { ...SYMBOLS, [ERRNO_LOCATION]: { args: [], returns: "ptr" } };
  if (process.platform !== "linux") for (const symbol of LINUX_ONLY) delete wanted[symbol];
  const names = libraryNames();
  let failure: unknown;
  for (const name of names) {
    try {
      const symbols: Record<string, unknown> = dlopen(name, wanted).symbols;
      return { ...symbols, errnoLocation: symbols[ERRNO_LOCATION] } as unknown as Libc;
    } catch (error) {
      failure = error;
    }
  }
  throw new Error(`cannot load libc (tried ${names.join(", ")})`, { cause: failure });
}

function libraryNames(): string[] {
  if (process.platform === "darwin") return ["libSystem.B.dylib"];
  return ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
}

let opened: Libc | null = null;

export function libc(): Libc {
  opened ??= open();
  return opened;
}

/** Name of the last failed call's error, e.g. "EAGAIN". Ask at once: any other call may replace it. */
export function lastErrno(): string {
  const location = libc().errnoLocation();
  return errnoName(location === null ? 0 : read.i32(location));
}

export function errnoName(number: number): string {
  for (const [name, value] of Object.entries(constants.errno)) if (value === number) return name;
  return `errno ${number}`;
}

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

/** The result, or a SystemError when it is -1. */
export function checked(result: number | bigint, syscall: string, subject?: string): number {
  if (Number(result) >= 0) return Number(result);
  throw new SystemError(syscall, lastErrno(), subject);
}

export function cstring(text: string): Uint8Array {
  return Buffer.from(`${text}\0`);
}
