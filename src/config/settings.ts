/** The settings that count: what nobody says, under what the file says, under what HOLT_* variables say. Flags are above, where they are parsed. */
import { HoltError } from "../protocol/types/errors.ts";
import { type Checked, checkTree, checkVariables } from "./check.ts";
import { findConfigFile, formatOf, readConfigFile } from "./config-file.ts";
import { defaults, KEY_NAMES, type KeyName, type Settings, variableOf } from "./keys.ts";
import { parseConfig, type Problem } from "./parse.ts";
import type { Environment } from "./where.ts";

/** Where a value comes from, as a person looks for it: `default`, `FILE:LINE`, or the variable. */
export type Origins = ReadonlyMap<KeyName, string>;

export interface Loaded {
  settings: Settings;
  origins: Origins;
  /** Null where there is none. */
  file: string | null;
}

export function loadSettings(env: Environment = process.env): Loaded {
  const file = findConfigFile(env);
  const origins = new Map<KeyName, string>(KEY_NAMES.map((key) => [key, "default"]));
  const settings: Record<string, unknown> = { ...defaults() };
  const lay = ({ values }: Checked, originOf: (key: KeyName) => string): void => {
    for (const [key, value] of values) {
      settings[key] = value;
      origins.set(key, originOf(key));
    }
  };
  if (file !== null) {
    const { checked, lineOf } = checkFile(file);
    refuse(checked.problems, file);
    lay(checked, (key) => `${file}:${lineOf(key)}`);
  }
  const variables = checkVariables(env);
  refuse(variables.problems, "the environment");
  lay(variables, variableOf);
  return { settings: settings as Settings, origins, file };
}

export function checkFile(path: string): { checked: Checked; lineOf: (key: KeyName) => number } {
  const tree = parseConfig(readConfigFile(path), formatOf(path));
  if ("message" in tree) return { checked: { values: new Map(), problems: [tree] }, lineOf: () => 1 };
  return { checked: checkTree(tree), lineOf: (key) => tree.places.lineOf(key.split(".")) ?? 1 };
}

/** As compilers write it, so that an editor jumps there. */
export function problemLine(where: string, { line, message }: Problem): string {
  return `${line === null ? where : `${where}:${line}`}: ${message}`;
}

function refuse(problems: readonly Problem[], where: string): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length === 1 ? "" : `${problems.length - 1} more: \`holt config check\` lists them all`;
  const hint = [first.hint, more].filter((part) => part !== null && part !== "").join("; ");
  throw new HoltError("EBADARGS", problemLine(where, first), {
    details: { config: problems.map((problem) => ({ ...problem, where })) },
    ...(hint === "" ? {} : { hint }),
  });
}
