/**
 * Where a path leads, for everybody alike. The links of /proc (cwd, root, exe, fd/3, and /dev/fd by them) lead each process elsewhere: who judges a path
 * with one of them on its way judges another file than the one that its user gets. openat2(2) has the kernel refuse them, on any mount; where there is
 * none the way is walked here, and whatever passes through /proc is refused.
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
/** The kernel follows no more either. */
const MAX_LINKS = 40;

export type PlainPath = { kind: "plain"; path: Uint8Array } | { kind: "missing" | "unresolvable" };

/** Of an absolute path, all links resolved. */
export function plainPath(path: Uint8Array): PlainPath {
  if (process.platform !== "linux") return elsewhere(path);
  try {
    const fd = openWithoutMagicLinks(path, O_PATH);
    return fd === null ? resolveStepByStep(path) : whereIs(fd);
  } catch (error) {
    return { kind: error instanceof SystemError && error.code === "ELOOP" ? "unresolvable" : "missing" };
  }
}

function whereIs(fd: number): PlainPath {
  try {
    const path = pathOfDescriptor(fd);
    return path[0] === SLASH ? { kind: "plain", path } : { kind: "missing" };
  } finally {
    closeQuietly(fd);
  }
}

/** Part by part, each link in the place of its name. */
function resolveStepByStep(path: Uint8Array): PlainPath {
  const proc = deviceOfProc();
  const ahead = partsOf(path);
  let at = "";
  let links = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
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
    ahead.push(...partsOf(target));
  }
  return { kind: "plain", path: losslessBytes(at === "" ? "/" : at) };
}

/** Undefined where none is mounted. */
function deviceOfProc(): number | undefined {
  const [proc, root] = ["/proc", "/"].map((path) => entryStatAt(AT_FDCWD, path)?.dev);
  return proc === root ? undefined : proc;
}

/** The next one last. */
function partsOf(path: Uint8Array): string[] {
  return losslessText(path).split("/").toReversed();
}

/** Where there are no such links. */
function elsewhere(path: Uint8Array): PlainPath {
  try {
    const real = process.getBuiltinModule("node:fs").realpathSync.native(Buffer.from(path), { encoding: "buffer" });
    return { kind: "plain", path: real };
  } catch {
    return { kind: "missing" };
  }
}
