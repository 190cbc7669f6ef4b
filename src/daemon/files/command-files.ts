/** Files that the policy lets callers start. Who could write one would start whatever he likes under its name. */
import { losslessText } from "../../platform/fs/lossless-text.ts";
import { inheritedVariable } from "../../platform/process/raw-arguments.ts";
import { entryStatAt, fileStat, isSameFile, type Stat } from "../../platform/fs/stat.ts";
import { type Policy, ruleName } from "../../policy/policy.ts";
import { isAmong, isEntry, statOrNone } from "./own-paths.ts";

/** The rule of `allow` by which a file of that name could be started; null: none. */
export function commandAt(
  { allow }: Policy,
  { directory, name }: { directory: number; name: Uint8Array },
  lineage: readonly Stat[],
): string | null {
  const entry = { directory: fileStat(directory), name };
  const there = entryStatAt(directory, name);
  const rule = allow.find(({ kind, written, real }) => {
    if (kind === "directory") return real !== null && isAmong(statOrNone(real), lineage);
    const path = real ?? (kind === "file" ? written : null);
    return path !== null && (isEntry(entry, path) || (there !== null && isSameFile(there, statOrNone(path))));
  });
  const found = rule ?? (isInPath(entry.directory) ? allow.find(({ kind }) => kind === "name") : undefined);
  return found === undefined ? null : ruleName("allow", found);
}

/** What a name means is looked up there: a file before the one that is meant would be it. */
function isInPath(directory: Stat): boolean {
  const path = losslessText(inheritedVariable("PATH") ?? new Uint8Array(0));
  return path.split(":").some((each) => each.startsWith("/") && isSameFile(directory, statOrNone(each)));
}
