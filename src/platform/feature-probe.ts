/** Probes this machine for features that holt uses. Each is tried, and nothing is left behind. */
import { dlopen } from "bun:ffi";
import { closeQuietly } from "./fs/descriptors.ts";
import { cstring, lastErrno, libc } from "./native/libc.ts";
import { readProc } from "./process/processes.ts";
import { openPseudoTerminal } from "./tty/terminal-device.ts";

const AT_FDCWD = -100;
const PR_SET_CHILD_SUBREAPER = 36;
const OPEN_HOW_BYTES = 24;
const SYSCALLS: Record<string, { openat2: number; renameat2: number }> = {
  x64: { openat2: 437, renameat2: 316 },
  arm64: { openat2: 437, renameat2: 276 },
};

/** Why a pseudo-terminal cannot be opened; null when it can. */
export function terminalProblem(): string | null {
  try {
    const { master, slave } = openPseudoTerminal();
    [master, slave].forEach(closeQuietly);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Makes this process a subreaper. */
export function canBeSubreaper(): boolean {
  return process.platform === "linux" && libc().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0;
}

/** Calls it with an empty name: a kernel that has the call returns ENOENT. */
export function hasOpenat2(): boolean {
  const number = SYSCALLS[process.arch]?.openat2;
  if (process.platform !== "linux" || number === undefined) return false;
  const { symbols } = dlopen("libc.so.6", { syscall: { args: ["i64", "i64", "ptr", "ptr", "u64"], returns: "i64" } });
  const how = new Uint8Array(OPEN_HOW_BYTES);
  return Number(symbols.syscall(number, AT_FDCWD, cstring(""), how, OPEN_HOW_BYTES)) >= 0 || lastErrno() === "ENOENT";
}

export function hasRenameat2(): boolean {
  const number = SYSCALLS[process.arch]?.renameat2;
  if (process.platform !== "linux" || number === undefined) return false;
  const args = ["i64", "i64", "ptr", "i64", "ptr", "u64"] as const;
  const { symbols } = dlopen("libc.so.6", { syscall: { args, returns: "i64" } });
  const nothing = cstring("");
  return Number(symbols.syscall(number, AT_FDCWD, nothing, AT_FDCWD, nothing, 0)) >= 0 || lastErrno() === "ENOENT";
}

/** The type of the file system of a path, as in mount(8). Null when unknown. */
export function fileSystemOf(path: string): string | null {
  let best = { point: "", type: null as string | null };
  for (const line of (readProc("/proc/self/mountinfo") ?? "").split("\n")) {
    const found = /^\S+ \S+ \S+ \S+ (\S+) .* - (\S+) /.exec(line);
    const point = (found?.[1] ?? "").replaceAll(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const isWithin = point !== "" && (path === point || path.startsWith(point.endsWith("/") ? point : `${point}/`));
    if (isWithin && point.length >= best.point.length) best = { point, type: found?.[2] ?? null };
  }
  return best.type;
}
