/** The directories below which files are served, and the way from one of them to a file. */
import type { Settings } from "../../config/keys.ts";
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openIfThere, pathOfDescriptor } from "../../platform/fs/libc-fs.ts";
import { losslessBytes, losslessText } from "../../platform/fs/lossless-text.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { isRestricted } from "../policy/rules.ts";

const { O_DIRECTORY, O_RDONLY } = fileConstants;

/**
 * Where nobody names any, the user's home and /tmp, which are theirs. But a list of commands would be worth nothing beside a home directory that may
 * be written: the next shell runs what its .bashrc says.
 */
export function fsRoots(settings: Settings, home = process.env["HOME"]): string[] {
  const { "fs.roots": named, "policy.roots": policy } = settings;
  const usual = policy.length > 0 ? policy : isRestricted(settings) ? [] : [home ?? "", "/tmp"];
  return (named ?? usual).filter((root) => root.startsWith("/")).map((root) => root.replace(/\/+$/, "") || "/");
}

/** The deepest of them that the path begins with, by its name or by what that leads to. The caller closes it. */
export function rootOf(path: string, roots: readonly string[], asked: string): { root: number; rest: string } {
  for (const name of roots.toSorted((a, b) => b.length - a.length)) {
    const root = openIfThere(losslessBytes(name), O_RDONLY | O_DIRECTORY);
    if (root === null) continue;
    const rest = restOf(path, name) ?? restOf(path, losslessText(pathOfDescriptor(root)));
    if (rest !== null) return { root, rest };
    closeQuietly(root);
  }
  throw new HoltError("EDENIED", `${asked} is below none of the roots`, {
    hint: `files are served below ${roots.join(", ") || "no directory"}; \`fs.roots\` of the configuration names others`,
    details: { roots },
  });
}

function restOf(path: string, root: string): string | null {
  if (path === root) return "";
  const prefix = root === "/" ? "/" : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length).replace(/^\/+/, "") : null;
}
