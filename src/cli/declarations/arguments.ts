/**
 * Parses the command line of every command (see declaration.ts).
 *
 * Accepts `--opt value`, `--opt=value`, `-o value`, `-ovalue` and grouped flags (`-af`); `--` ends
 * the options. An option's value must not look like an option itself (use `--opt=-value`), except
 * for negative numbers, so that the error names the number.
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
  /** `--help` was given; then positionals are not checked. */
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

  const setOption = (option: Option, attached: string | null): void => {
    if (option.value === undefined) {
      if (attached !== null) throw usageError(declaration, `--${option.name} takes no value`);
      values[option.name] = true;
      return;
    }
    const next = args[at];
    const value = attached ?? (next === undefined || (looksLikeOption(next) && !/^-\d/.test(next)) ? null : next);
    if (value === null) throw usageError(declaration, `missing value: --${option.name} ${option.value}`);
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
      setOption(longOption(declaration, name), equals < 0 ? null : word.slice(equals + 1));
    } else {
      setShortOptions(declaration, word, setOption);
    }
    if (values["help"] === true) break;
  }

  const help = values["help"] === true;
  if (!help) checkPositionals(declaration, positionals);
  return { help, options: values as Parsed<D>["options"], positionals };
}

/** Whether errors are printed as JSON; works on arguments that cannot be parsed. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

function looksLikeOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function setShortOptions(
  declaration: Declaration,
  word: string,
  setOption: (option: Option, attached: string | null) => void,
): void {
  const letters = word.slice(1).split("");
  for (const [index, letter] of letters.entries()) {
    const option = optionsOf(declaration).find(({ short }) => short === letter);
    if (option === undefined) throw usageError(declaration, `unknown option: -${letter}`);
    const attached = letters.slice(index + 1).join("");
    if (option.value !== undefined && attached !== "")
      return setOption(option, attached.startsWith("=") ? attached.slice(1) : attached);
    setOption(option, null);
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
  throw usageError(declaration, `unknown option: --${name}`, near === null ? null : `did you mean --${near}?`);
}

function checkedValue(declaration: Declaration, option: Option, value: string): string | number {
  if (option.choices !== undefined && !option.choices.includes(value)) {
    throw usageError(declaration, `invalid --${option.name}: "${value}"`, `use one of ${option.choices.join(", ")};`);
  }
  if (option.kind !== "count") return value;
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  const help = `use a whole number${option.counts === undefined ? "" : ` of ${option.counts}`};`;
  throw usageError(declaration, `invalid --${option.name}: "${value}"`, help);
}

function checkPositionals(declaration: Declaration, given: readonly string[]): void {
  const { name, least, most, choices, hintForExtra } = declaration.positionals;
  if (given.length < least) {
    throw new HoltError("EBADARGS", `missing argument: ${name}`, { hint: `usage: ${declaration.usage[0]}` });
  }
  const extra = given[most];
  if (extra !== undefined) {
    const hint = hintForExtra?.(given.slice(most)) ?? null;
    throw usageError(declaration, `unexpected argument: "${extra}"`, hint === null ? null : `${hint};`);
  }
  const [first] = given;
  if (first === undefined || choices === undefined || choices.includes(first)) return;
  throw usageError(declaration, `invalid ${name}: "${first}"`, `use one of ${choices.join(", ")};`);
}

function usageError(declaration: Declaration, message: string, help: string | null = null): HoltError {
  const page = `see \`holt help ${declaration.name}\``;
  return new HoltError("EBADARGS", message, { hint: help === null ? page : `${help} ${page}` });
}
