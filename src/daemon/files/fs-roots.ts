/** The directories below which files are served, and the root of a given path. */
import type { Settings } from "../../config/keys.ts";
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openIfThere, pathOfDescriptor } from "../../platform/fs/libc-fs.ts";
import { losslessBytes, losslessText } from "../../platform/fs/lossless-text.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isRestricted } from "../policy/rules.ts";

const { O_DIRECTORY, O_RDONLY } = fileConstants;

/**
 * Default roots: the user's home and /tmp. A restricted policy has none: a writable home directory
 * would defeat its allow list, as the next shell runs .bashrc.
 */
export function fsRoots(settings: Settings, home = process.env["HOME"]): string[] {
  const { "fs.roots": named, "policy.roots": policy } = settings;
  const defaultRoots = policy.length > 0 ? policy : isRestricted(settings) ? [] : [home ?? "", "/tmp"];
  return (named ?? defaultRoots).filter((root) => root.startsWith("/")).map((root) => root.replace(/\/+$/, "") || "/");
}

/**
 * Opens the deepest root that the path begins with, by name or by resolved path. The caller closes
 * it.
 */
export function rootOf(path: string, roots: readonly string[], requested: string): { root: number; rest: string } {
  for (const name of roots.toSorted((a, b) => b.length - a.length)) {
    const root = openIfThere(losslessBytes(name), O_RDONLY | O_DIRECTORY);
    if (root === null) continue;
    const rest = relativeTo(path, name) ?? relativeTo(path, losslessText(pathOfDescriptor(root)));
    if (rest !== null) return { root, rest };
    closeQuietly(root);
  }
  throw new HoltError("EDENIED", `not below a served root: ${requested}`, {
    hint: `served roots: ${roots.join(", ") || "none"}; set \`fs.roots\` in the configuration to serve others`,
    details: { roots },
  });
}

function relativeTo(path: string, root: string): string | null {
  if (path === root) return "";
  const prefix = root === "/" ? "/" : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length).replace(/^\/+/, "") : null;
}
