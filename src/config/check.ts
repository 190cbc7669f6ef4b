/** Checks the values of a file or of the environment against the table of keys. */
import { nearest } from "../protocol/methods/nearest.ts";
import { isKey, KEY_NAMES, KEYS, type KeyName, variableOf } from "./keys.ts";
import { fromText, problemWith, type Value } from "./kinds.ts";
import type { ParsedConfig, Problem } from "./parse.ts";
import { type Environment, isVariable } from "./where.ts";

export type Values = Map<KeyName, Value>;

export interface Checked {
  values: Values;
  problems: Problem[];
}

export function checkTree({ root, keyLines }: ParsedConfig): Checked {
  const checked: Checked = { values: new Map(), problems: [] };
  const walk = (node: unknown, path: readonly string[]): void => {
    if (!isTable(node)) {
      const what = path.length === 0 ? "the configuration" : path.join(".");
      checked.problems.push({
        line: keyLines.lineOf(path) ?? 1,
        message: `${what} must be a table of keys`,
        hint: null,
      });
      return;
    }
    for (const [part, value] of Object.entries(node)) {
      const inner = [...path, part];
      const name = part.includes(".") ? JSON.stringify(part) : inner.join(".");
      if (isKey(name)) addValue(checked, name, value, { line: keyLines.lineOf(inner), name });
      else if (SECTIONS.includes(name)) walk(value, inner);
      else checked.problems.push({ line: keyLines.lineOf(inner), ...unknownKey(name) });
    }
  };
  walk(root, []);
  return checked;
}

/** A variable with a prefix of holt that is no key is an error: it would be ignored silently. */
export function checkVariables(env: Environment): Checked {
  const checked: Checked = { values: new Map(), problems: [] };
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || !isVariable(variable)) continue;
    const key = BY_VARIABLE.get(variable);
    if (key !== undefined) addValue(checked, key, fromText(KEYS[key], text), { line: null, name: variable });
    else checked.problems.push({ line: null, ...unknownVariable(variable) });
  }
  return checked;
}

const SECTIONS: readonly string[] = [...new Set(KEY_NAMES.map((name) => name.slice(0, name.indexOf("."))))];
const BY_VARIABLE: ReadonlyMap<string, KeyName> = new Map(KEY_NAMES.map((key) => [variableOf(key), key]));

interface Source {
  line: number | null;
  /** The key or the variable. */
  name: string;
}

function addValue({ values, problems }: Checked, key: KeyName, value: unknown, { line, name }: Source) {
  const problem = problemWith(KEYS[key], value);
  if (problem === null) values.set(key, value as Value);
  else problems.push({ line, message: `${name}: ${problem}`, hint: null });
}

/** Suggests a key of that name in another table, or else the most similar key. */
function unknownKey(name: string): Omit<Problem, "line"> {
  const last = name.split(".").at(-1) ?? name;
  const near = KEY_NAMES.find((key) => key.endsWith(`.${last}`)) ?? nearest(name, [...KEY_NAMES, ...SECTIONS]);
  return { message: `unknown key: ${name}`, hint: near === null ? ALL : `did you mean ${near}?` };
}

function unknownVariable(variable: string): Omit<Problem, "line"> {
  const near = nearest(variable, [...BY_VARIABLE.keys()]);
  return { message: `unknown variable: ${variable}`, hint: near === null ? ALL : `did you mean ${near}?` };
}

const ALL = "`holt config show` lists all keys";

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
