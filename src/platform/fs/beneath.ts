/**
 * Opens files below a directory so that no `..`, symlink or concurrent rename leads outside.
 *
 * openat2(2) checks this in the kernel in one step and follows symlinks that stay inside. Without
 * it (before Linux 5.6, behind some seccomp filters, on other systems) each part of the path is
 * opened by itself and no symlink is followed. openat2 also opens any path without following /proc
 * links.
 */
import { dlopen } from "bun:ffi";
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";
import { entryStatAt, kindOf } from "./stat.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fileConstants;
const SYS_OPENAT2 = 437;
const RESOLVE_NO_MAGICLINKS = 0x02;
const RESOLVE_BENEATH = 0x08;
const HOW_BYTES = 24;
const AT_FDCWD = -100;
/** The kernel returns EAGAIN while a part of the path is being renamed. */
const MAX_TRIES = 100;

/** Errors that mean that the call is not available. */
const MISSING: readonly string[] = ["ENOSYS", "EPERM", "E2BIG", "EINVAL"];

const HERE = bytesOf(".");
const SLASH = 0x2f;
const DOT = 0x2e;

let hasOpenat2: boolean | null = null;

export interface OpenBeneath {
  /** An open directory. */
  root: number;
  /** Relative to root; "" or "." is root itself. */
  path: Uint8Array;
  flags: number;
}

/** EXDEV or ELOOP: the path leads outside. */
export function openBeneath(request: OpenBeneath): number {
  hasOpenat2 ??= supportsOpenat2(request.root);
  return hasOpenat2 ? openInOneStep(request) : openByParts(request);
}

/**
 * ELOOP: the path passes through a /proc link, which resolves differently for each process. Null:
 * openat2 is not available.
 */
export function openWithoutMagicLinks(path: Uint8Array, flags: number): number | null {
  hasOpenat2 ??= supportsOpenat2(AT_FDCWD);
  return hasOpenat2 ? openInOneStep({ root: AT_FDCWD, path, flags }, RESOLVE_NO_MAGICLINKS) : null;
}

function supportsOpenat2(root: number): boolean {
  if (process.platform !== "linux" || process.env["HOLT_NO_OPENAT2"] === "1") return false;
  try {
    closeQuietly(openInOneStep({ root, path: HERE, flags: O_RDONLY | O_DIRECTORY }));
    return true;
  } catch (error) {
    return !(error instanceof SystemError && MISSING.includes(error.code));
  }
}

function load() {
  return dlopen("libc.so.6", { syscall: { args: ["i64", "i64", "ptr", "ptr", "u64"], returns: "i64" } }).symbols;
}

let loaded: ReturnType<typeof load> | null = null;

function openat2(directory: number, path: Uint8Array, openHow: Uint8Array): number {
  loaded ??= load();
  return Number(loaded.syscall(SYS_OPENAT2, directory, path, openHow, HOW_BYTES));
}

function openInOneStep(
  { root, path, flags }: OpenBeneath,
  resolve: number = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
): number {
  const name = cstring(path.length === 0 ? HERE : path);
  const openHow = new Uint8Array(HOW_BYTES);
  const fields = new DataView(openHow.buffer);
  fields.setBigUint64(0, BigInt(flags | O_CLOEXEC), true);
  fields.setBigUint64(16, BigInt(resolve), true);
  for (let tries = 1; ; tries++) {
    const fd = openat2(root, name, openHow);
    if (fd >= 0) return fd;
    const errno = lastErrno();
    if ((errno !== "EAGAIN" && errno !== "EINTR") || tries === MAX_TRIES) throw new SystemError("openat2", errno);
  }
}

/** Holds each directory open until the next is, so that a rename has no effect. */
function openByParts({ root, path, flags }: OpenBeneath): number {
  const parts = partsOf(path);
  const last = parts.pop() ?? HERE;
  let directory = root;
  try {
    for (const part of parts) {
      const next = openPart(directory, part, O_RDONLY | O_DIRECTORY);
      if (directory !== root) closeQuietly(directory);
      directory = next;
    }
    return openPart(directory, last, flags);
  } finally {
    if (directory !== root) closeQuietly(directory);
  }
}

function openPart(directory: number, part: Uint8Array, flags: number): number {
  const fd = libc().openat(directory, cstring(part), flags | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd >= 0) return fd;
  const errno = lastErrno();
  throw new SystemError("openat", errno === "ENOTDIR" ? whyNoDirectory(directory, part) : errno);
}

/**
 * Linux returns ENOTDIR for a symlink as well as for a file. An entry that is a directory by now
 * was a symlink a moment ago.
 */
function whyNoDirectory(directory: number, part: Uint8Array): string {
  const stat = entryStatAt(directory, part);
  if (stat === null) return "ENOENT";
  const kind = kindOf(stat);
  return kind === "symlink" || kind === "directory" ? "ELOOP" : "ENOTDIR";
}

function partsOf(path: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at <= path.length; at++) {
    if (at < path.length && path[at] !== SLASH) continue;
    const part = path.subarray(start, at);
    start = at + 1;
    if (part.length === 0 || (part.length === 1 && part[0] === DOT)) continue;
    if (part.length === 2 && part[0] === DOT && part[1] === DOT) throw new SystemError("openat", "EXDEV");
    parts.push(part);
  }
  return parts;
}
