/**
 * Effective settings: HOLT_* variables override the file, which overrides the defaults. Commands
 * apply their options on top.
 */
import { HoltError } from "../protocol/types/errors.ts";
import { type Checked, checkTree, checkVariables } from "./check.ts";
import { findConfigFile, formatOf, readConfigFile } from "./config-file.ts";
import { defaults, KEY_NAMES, type KeyName, type Settings, variableOf } from "./keys.ts";
import { parseConfig, type Problem } from "./parse.ts";
import type { Environment } from "./where.ts";

/** Source of a value: `default`, `FILE:LINE`, or the name of a variable. */
export type Origins = ReadonlyMap<KeyName, string>;

export interface Loaded {
  settings: Settings;
  origins: Origins;
  /** Null without a configuration file. */
  file: string | null;
}

export function loadSettings(env: Environment = process.env): Loaded {
  const file = findConfigFile(env);
  const origins = new Map<KeyName, string>(KEY_NAMES.map((key) => [key, "default"]));
  const settings: Record<string, unknown> = { ...defaults() };
  const apply = ({ values }: Checked, originOf: (key: KeyName) => string): void => {
    for (const [key, value] of values) {
      settings[key] = value;
      origins.set(key, originOf(key));
    }
  };
  if (file !== null) {
    const { checked, lineOf } = checkFile(file);
    requireNoProblems(checked.problems, file);
    apply(checked, (key) => `${file}:${lineOf(key)}`);
  }
  const variables = checkVariables(env);
  requireNoProblems(variables.problems, "the environment");
  apply(variables, variableOf);
  return { settings: settings as Settings, origins, file };
}

export function checkFile(path: string): { checked: Checked; lineOf: (key: KeyName) => number } {
  const tree = parseConfig(readConfigFile(path), formatOf(path));
  if ("message" in tree) return { checked: { values: new Map(), problems: [tree] }, lineOf: () => 1 };
  return { checked: checkTree(tree), lineOf: (key) => tree.keyLines.lineOf(key.split(".")) ?? 1 };
}

/** The format of compilers, so that editors can jump to the line. */
export function problemLine(where: string, { line, message }: Problem): string {
  return `${line === null ? where : `${where}:${line}`}: ${message}`;
}

function requireNoProblems(problems: readonly Problem[], where: string): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length === 1 ? "" : `${problems.length - 1} more: run \`holt config check\``;
  const hint = [first.hint, more].filter((part) => part !== null && part !== "").join("; ");
  throw new HoltError("EBADARGS", problemLine(where, first), {
    details: { config: problems.map((problem) => ({ ...problem, where })) },
    ...(hint === "" ? {} : { hint }),
  });
}
