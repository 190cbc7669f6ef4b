/** What a file or the environment sets, checked against the table of keys. */
import { nearest } from "../protocol/methods/nearest.ts";
import { isKey, KEY_NAMES, KEYS, type KeyName, variableOf } from "./keys.ts";
import { fromText, problemWith, type Value } from "./kinds.ts";
import type { Problem, Tree } from "./parse.ts";
import { type Environment, isVariable } from "./where.ts";

export type Values = Map<KeyName, Value>;

export interface Checked {
  values: Values;
  problems: Problem[];
}

export function checkTree({ root, places }: Tree): Checked {
  const checked: Checked = { values: new Map(), problems: [] };
  const walk = (node: unknown, path: readonly string[]): void => {
    if (!isTable(node)) {
      const what = path.length === 0 ? "a configuration" : path.join(".");
      checked.problems.push({ line: places.lineOf(path) ?? 1, message: `${what} is a table of keys`, hint: null });
      return;
    }
    for (const [part, value] of Object.entries(node)) {
      const inner = [...path, part];
      const name = part.includes(".") ? JSON.stringify(part) : inner.join(".");
      if (isKey(name)) take(checked, name, value, { line: places.lineOf(inner), as: name });
      else if (SECTIONS.includes(name)) walk(value, inner);
      else checked.problems.push({ line: places.lineOf(inner), ...unknownKey(name) });
    }
  };
  walk(root, []);
  return checked;
}

/** A variable that begins as ours do and is none is a slip: it would be ignored in silence. */
export function checkVariables(env: Environment): Checked {
  const checked: Checked = { values: new Map(), problems: [] };
  for (const [variable, text] of Object.entries(env)) {
    if (text === undefined || !isVariable(variable)) continue;
    const key = BY_VARIABLE.get(variable);
    if (key !== undefined) take(checked, key, fromText(KEYS[key], text), { line: null, as: variable });
    else checked.problems.push({ line: null, ...unknownVariable(variable) });
  }
  return checked;
}

const SECTIONS: readonly string[] = [...new Set(KEY_NAMES.map((name) => name.slice(0, name.indexOf("."))))];
const BY_VARIABLE: ReadonlyMap<string, KeyName> = new Map(KEY_NAMES.map((key) => [variableOf(key), key]));

function take({ values, problems }: Checked, key: KeyName, value: unknown, from: { line: number | null; as: string }) {
  const problem = problemWith(KEYS[key], value);
  if (problem === null) values.set(key, value as Value);
  else problems.push({ line: from.line, message: `${from.as}: ${problem}`, hint: null });
}

/** The nearest there is, also one that is right but for the table it stands in. */
function unknownKey(name: string): Omit<Problem, "line"> {
  const last = name.split(".").at(-1) ?? name;
  const near = KEY_NAMES.find((key) => key.endsWith(`.${last}`)) ?? nearest(name, [...KEY_NAMES, ...SECTIONS]);
  return { message: `unknown key ${name}`, hint: near === null ? ALL : `did you mean ${near}?` };
}

function unknownVariable(variable: string): Omit<Problem, "line"> {
  const near = nearest(variable, [...BY_VARIABLE.keys()]);
  return { message: `unknown variable ${variable}`, hint: near === null ? ALL : `did you mean ${near}?` };
}

const ALL = "`holt config show` lists them all";

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
