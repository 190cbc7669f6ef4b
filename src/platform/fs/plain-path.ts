/**
 * Resolves a path that leads to the same file for every process. /proc links (cwd, root, exe, fd/3,
 * and /dev/fd through them) resolve differently for each process, so a policy would check another
 * file than the command opens. openat2(2) refuses them on any mount. Without it the path is
 * resolved here step by step, and any path through /proc is refused.
 */
import { openWithoutMagicLinks } from "./beneath.ts";
import { O_PATH } from "../native/constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { pathOfDescriptor, readlinkBytes } from "./libc-fs.ts";
import { SystemError } from "../native/libc.ts";
import { losslessBytes, losslessText } from "./lossless-text.ts";
import { entryStatAt, kindOf } from "./stat.ts";

const AT_FDCWD = -100;
const SLASH = 0x2f;
/** The kernel's own limit. */
const MAX_LINKS = 40;

export type PlainPath = { kind: "plain"; path: Uint8Array } | { kind: "missing" | "unresolvable" };

/**
 * Resolves all links of an absolute path. "unresolvable": through a /proc link, or too many links.
 */
export function plainPath(path: Uint8Array): PlainPath {
  if (process.platform !== "linux") return realPath(path);
  try {
    const fd = openWithoutMagicLinks(path, O_PATH);
    return fd === null ? resolveStepByStep(path) : pathOfOpen(fd);
  } catch (error) {
    return { kind: error instanceof SystemError && error.code === "ELOOP" ? "unresolvable" : "missing" };
  }
}

function pathOfOpen(fd: number): PlainPath {
  try {
    const path = pathOfDescriptor(fd);
    return path[0] === SLASH ? { kind: "plain", path } : { kind: "missing" };
  } finally {
    closeQuietly(fd);
  }
}

/** Resolves part by part and replaces each link by its target. */
function resolveStepByStep(path: Uint8Array): PlainPath {
  const proc = deviceOfProc();
  const remaining = partsOf(path);
  let at = "";
  let links = 0;
  for (let part = remaining.pop(); part !== undefined; part = remaining.pop()) {
    if (part === "" || part === ".") continue;
    const next = part === ".." ? at.slice(0, Math.max(0, at.lastIndexOf("/"))) : `${at}/${part}`;
    const bytes = losslessBytes(next === "" ? "/" : next);
    const stat = entryStatAt(AT_FDCWD, bytes);
    if (stat === null) return { kind: "missing" };
    if (stat.dev === proc) return { kind: "unresolvable" };
    if (kindOf(stat) !== "symlink") {
      at = next;
      continue;
    }
    if (++links > MAX_LINKS) return { kind: "unresolvable" };
    const target = readlinkBytes(bytes);
    if (target[0] === SLASH) at = "";
    remaining.push(...partsOf(target));
  }
  return { kind: "plain", path: losslessBytes(at === "" ? "/" : at) };
}

/** The device number of /proc; undefined where /proc is not mounted. */
function deviceOfProc(): number | undefined {
  const [proc, root] = ["/proc", "/"].map((path) => entryStatAt(AT_FDCWD, path)?.dev);
  return proc === root ? undefined : proc;
}

/** The parts in reverse order, for pop(). */
function partsOf(path: Uint8Array): string[] {
  return losslessText(path).split("/").toReversed();
}

/** For platforms without /proc links. */
function realPath(path: Uint8Array): PlainPath {
  try {
    const real = process.getBuiltinModule("node:fs").realpathSync.native(Buffer.from(path), { encoding: "buffer" });
    return { kind: "plain", path: real };
  } catch {
    return { kind: "missing" };
  }
}
