/**
 * The command line's grammar, the same for every command (see declaration.ts).
 *
 * `--opt value`, `--opt=value`, `-o value`, `-ovalue` and grouped flags (`-af`) are understood; `--` ends the options.
 * The word after a valued option is its value unless it looks like an option itself (then write `--opt=-value`);
 * a number below zero does not: it is a value, and a wrong one, which is worth saying.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { type Declaration, type Option, optionsOf } from "./declaration.ts";
import { nearest } from "../../protocol/methods/nearest.ts";

type ValueOf<O extends Option> = O extends { repeats: true }
  ? string[]
  : O extends { kind: "count" }
    ? number | null
    : O extends { value: string }
      ? (O extends { choices: readonly (infer C)[] } ? C : string) | null
      : boolean;

export interface Parsed<D extends Declaration> {
  /** `--help` was asked for; then nothing else was checked. */
  help: boolean;
  options: { [O in D["options"][number] as O["name"]]: ValueOf<O> };
  positionals: string[];
}

export function parseArguments<D extends Declaration>(declaration: D, args: readonly string[]): Parsed<D> {
  const values: Record<string, string | number | boolean | string[] | null> = {};
  for (const option of optionsOf(declaration))
    values[option.name] = option.repeats === true ? [] : option.value === undefined ? false : null;
  const positionals: string[] = [];
  let at = 0;

  const take = (option: Option, attached: string | null): void => {
    if (option.value === undefined) {
      if (attached !== null) throw usageError(declaration, `option --${option.name} takes no value`);
      values[option.name] = true;
      return;
    }
    const next = args[at];
    const value = attached ?? (next === undefined || (looksLikeOption(next) && !/^-\d/.test(next)) ? null : next);
    if (value === null) throw usageError(declaration, `option --${option.name} needs a value (${option.value})`);
    if (attached === null) at++;
    const before = values[option.name];
    if (Array.isArray(before)) before.push(value);
    else values[option.name] = checkedValue(declaration, option, value);
  };

  while (at < args.length) {
    const word = args[at++] ?? "";
    if (word === "--") {
      positionals.push(...args.slice(at));
      break;
    }
    if (!looksLikeOption(word)) {
      positionals.push(word);
      if (declaration.positionals.endsOptions !== true) continue;
      positionals.push(...args.slice(at));
      break;
    }
    if (word.startsWith("--")) {
      const equals = word.indexOf("=");
      const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
      take(longOption(declaration, name), equals < 0 ? null : word.slice(equals + 1));
    } else {
      takeShorts(declaration, word, take);
    }
    if (values["help"] === true) break;
  }

  const help = values["help"] === true;
  if (!help) checkPositionals(declaration, positionals);
  return { help, options: values as Parsed<D>["options"], positionals };
}

/** For the time before, or without, a successful parse: does the caller want machine-readable errors? */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

function looksLikeOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function takeShorts(
  declaration: Declaration,
  word: string,
  take: (option: Option, attached: string | null) => void,
): void {
  const letters = word.slice(1).split("");
  for (const [index, letter] of letters.entries()) {
    const option = optionsOf(declaration).find(({ short }) => short === letter);
    if (option === undefined) throw usageError(declaration, `unknown option -${letter}`);
    const rest = letters.slice(index + 1).join("");
    if (option.value !== undefined && rest !== "") return take(option, rest.startsWith("=") ? rest.slice(1) : rest);
    take(option, null);
  }
}

function longOption(declaration: Declaration, name: string): Option {
  const known = optionsOf(declaration);
  const option = known.find((candidate) => candidate.name === name);
  if (option !== undefined) return option;
  const near = nearest(
    name,
    known.map((candidate) => candidate.name),
  );
  throw usageError(declaration, `unknown option --${name}`, near === null ? null : `did you mean --${near}?`);
}

function checkedValue(declaration: Declaration, option: Option, value: string): string | number {
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usageError(
      declaration,
      `option --${option.name} cannot be "${value}"`,
      `it is one of ${option.choices.join(", ")};`,
    );
  }
  if (option.kind !== "count") return value;
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  const help = option.counts === undefined ? null : `it is a number of ${option.counts};`;
  throw usageError(declaration, `option --${option.name} needs a whole number, not "${value}"`, help);
}

function checkPositionals(declaration: Declaration, given: readonly string[]): void {
  const { name, least, most, choices, beyond } = declaration.positionals;
  if (given.length < least) {
    throw new HoltError("EBADARGS", `${declaration.name} needs ${name}`, { hint: `usage: ${declaration.usage[0]}` });
  }
  const extra = given[most];
  if (extra !== undefined) {
    const meant = beyond?.(given.slice(most)) ?? null;
    throw usageError(declaration, `unexpected argument "${extra}"`, meant === null ? null : `${meant};`);
  }
  const [first] = given;
  if (first === undefined || choices === undefined || choices.includes(first)) return;
  throw usageError(declaration, `${name} cannot be "${first}"`, `it is one of ${choices.join(", ")};`);
}

function usageError(declaration: Declaration, message: string, help: string | null = null): HoltError {
  const page = `\`holt help ${declaration.name}\` shows how it is used`;
  return new HoltError("EBADARGS", message, { hint: help === null ? page : `${help} ${page}` });
}
