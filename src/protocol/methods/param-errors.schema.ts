/**
 * What is wrong with the parameters of a call, in one place for every row: the parameter, the value that it has, and what is expected instead. A row says so
 * itself (expected.ts) only where it knows better.
 */
import type * as z from "zod";
import { quoteValue } from "./expected.ts";
import { nearest } from "./nearest.ts";

export interface ParamError {
  path: string[];
  message: string;
}

/** So many that a caller does not know of are named. */
const MOST_KEYS = 5;

type Issue = z.core.$ZodRawIssue;
type Told = z.core.$ZodIssue;

/** For a parse: how an issue is put that the schema says nothing of. */
export function issueMessage(issue: Issue): string {
  if (issue.code === "unrecognized_keys") return unknown(issue);
  const what = `expected ${expectation(issue)}`;
  return issue.input === undefined ? `missing, ${what}` : `got ${quoteValue(issue.input)}, ${what}`;
}

/** Of one that may be several things, what is wrong with the one that it was meant to be. */
export function paramErrors(issues: readonly Told[]): ParamError[] {
  return issues.flatMap((issue) => {
    const meant = issue.code === "invalid_union" ? issue.errors.find(isMeant) : undefined;
    const path = issue.path.map(String);
    if (meant === undefined) return [{ path, message: issue.message }];
    return paramErrors(meant).map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
  });
}

/** It is of the right kind, and only something inside of it is wrong. */
function isMeant(branch: readonly Told[]): boolean {
  return branch.length > 0 && branch.every(({ path }) => path.length > 0);
}

function unknown({ keys, inst }: Issue): string {
  return unknownKeys(keys as string[], keysOf(inst));
}

export function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  const told = keys.slice(0, MOST_KEYS).map((key) => {
    const near = nearest(key, known);
    const instead =
      near === null ? (known.length > 0 ? `there is ${known.join(", ")}` : "it takes none") : `did you mean ${near}?`;
    return `${quoteValue(key)} (${instead})`;
  });
  const more = keys.length > MOST_KEYS ? `, nor ${keys.length - MOST_KEYS} more` : "";
  return `there is no ${told.join(", ")}${more}`;
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return kind(issue);
    case "invalid_value":
      return oneOf(issue.values.map((value: unknown) => JSON.stringify(value)));
    case "invalid_format":
      return issue.format;
    case "invalid_union":
      return issue.errors.map((branch: Told[]) => wanted(branch[0])).join(" or ");
    case "too_small":
      return `at least ${issue.minimum}${issue.origin === "array" ? " of them" : ""}`;
    case "too_big":
      return `at most ${issue.maximum}${issue.origin === "array" ? " of them" : ""}`;
    default:
      return "something else";
  }
}

/** Of a message that ends so, the part that says what it should be. */
function wanted(issue: Told | undefined): string {
  return issue?.message.replace(/^(?:missing|got .*?), expected /s, "") ?? "something else";
}

function kind({ expected, inst }: Issue): string {
  const fields = keysOf(inst);
  if (expected === "object" && fields.length > 0) return `an object of ${fields.join(", ")}`;
  return KINDS[String(expected)] ?? String(expected);
}

const KINDS: Record<string, string> = {
  string: "a text",
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object of texts",
  null: "null",
};

function oneOf(values: readonly string[]): string {
  return values.length > 1 ? `one of ${values.join(", ")}` : (values[0] ?? "nothing");
}

/** Of an object with fields of its own. */
function keysOf(inst: unknown): string[] {
  const shape = (inst as { shape?: object } | undefined)?.shape;
  return shape === undefined ? [] : Object.keys(shape);
}
