/**
 * Finds files that the policy allows to be started: a caller who could write one could start
 * anything under its name.
 */
import { losslessText } from "../../platform/fs/lossless-text.ts";
import { inheritedVariable } from "../../platform/process/raw-arguments.ts";
import { entryStatAt, fileStat, isSameFile, type Stat } from "../../platform/fs/stat.ts";
import { type Policy, ruleName } from "../../policy/policy.ts";
import { isAmong, isEntry, statOrNone } from "./own-paths.ts";

/** The `allow` rule that would start a file of that name; null: none. */
export function allowRuleFor(
  { allow }: Policy,
  { directory, name }: { directory: number; name: Uint8Array },
  ancestors: readonly Stat[],
): string | null {
  const entry = { directory: fileStat(directory), name };
  const existing = entryStatAt(directory, name);
  const rule = allow.find(({ kind, written, real }) => {
    if (kind === "directory") return real !== null && isAmong(statOrNone(real), ancestors);
    const path = real ?? (kind === "file" ? written : null);
    return path !== null && (isEntry(entry, path) || (existing !== null && isSameFile(existing, statOrNone(path))));
  });
  const found = rule ?? (isInPath(entry.directory) ? allow.find(({ kind }) => kind === "name") : undefined);
  return found === undefined ? null : ruleName("allow", found);
}

/** Names are resolved in PATH: a new file there could shadow the intended one. */
function isInPath(directory: Stat): boolean {
  const path = losslessText(inheritedVariable("PATH") ?? new Uint8Array(0));
  return path.split(":").some((each) => each.startsWith("/") && isSameFile(directory, statOrNone(each)));
}
