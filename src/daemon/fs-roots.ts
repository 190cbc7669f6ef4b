/** The directories below which files are served, and the way from one of them to a file. */
import { openBeneath } from "../platform/beneath.ts";
import { fileConstants } from "../platform/constants.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { openIfThere, readlinkBytes } from "../platform/fs.ts";
import { losslessBytes, losslessText } from "../platform/lossless-text.ts";
import { HoltError } from "../protocol/errors.ts";

const { O_DIRECTORY, O_RDONLY } = fileConstants;

/** HOLT_FS_ROOTS, between colons; without it the user's home and /tmp, which are theirs. */
export function fsRoots(env: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const named = env["HOLT_FS_ROOTS"];
  const roots = named === undefined ? [env["HOME"] ?? "", "/tmp"] : named.split(":");
  return roots.filter((root) => root.startsWith("/")).map((root) => root.replace(/\/+$/, "") || "/");
}

/** Works with what `path` names below a root: the descriptor is closed after it. */
export function beneathRoot<T>(path: string, flags: number, work: (fd: number, rest: string) => T): T {
  if (!path.startsWith("/") || path.includes("\0"))
    throw new HoltError("EBADARGS", `not an absolute path: ${JSON.stringify(path.slice(0, 200))}`, {
      hint: "the daemon cannot know what it is relative to",
    });
  const { root, rest } = rootOf(path);
  try {
    const fd = openBeneath({ root, path: losslessBytes(rest), flags });
    try {
      return work(fd, rest);
    } finally {
      closeQuietly(fd);
    }
  } finally {
    closeQuietly(root);
  }
}

/** The deepest of them that the path begins with, by its name or by what that leads to. */
function rootOf(path: string): { root: number; rest: string } {
  const roots = fsRoots();
  for (const name of roots.toSorted((a, b) => b.length - a.length)) {
    const root = openIfThere(losslessBytes(name), O_RDONLY | O_DIRECTORY);
    if (root === null) continue;
    const rest = restOf(path, name) ?? restOf(path, losslessText(readlinkBytes(`/proc/self/fd/${root}`)));
    if (rest !== null) return { root, rest };
    closeQuietly(root);
  }
  throw new HoltError("EDENIED", `${path} is below none of the roots`, {
    hint: `files are served below ${roots.join(", ") || "no directory"}; HOLT_FS_ROOTS names others when the daemon starts`,
    details: { roots },
  });
}

function restOf(path: string, root: string): string | null {
  if (path === root) return "";
  const prefix = root === "/" ? "/" : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length).replace(/^\/+/, "") : null;
}
