/**
 * Messages for invalid parameters, for every row: the parameter, its value, and the expected value.
 * A row writes its own (expected.ts) only where it can be more specific.
 */
import type * as z from "zod";
import { quoteValue } from "./expected.ts";
import { nearest } from "./nearest.ts";

export interface ParamError {
  path: string[];
  message: string;
}

/** Most unknown keys named in one message. */
const MAX_NAMED_KEYS = 5;

type Issue = z.core.$ZodRawIssue;
type ParsedIssue = z.core.$ZodIssue;

/** Error map for a parse: the message of an issue whose schema has none. */
export function issueMessage(issue: Issue): string {
  if (issue.code === "unrecognized_keys") return unknown(issue);
  const what = `expected ${expectation(issue)}`;
  return issue.input === undefined ? `missing, ${what}` : `got ${quoteValue(issue.input)}, ${what}`;
}

/** For a union: the errors of the branch that was meant. */
export function paramErrors(issues: readonly ParsedIssue[]): ParamError[] {
  return issues.flatMap((issue) => {
    const meant = issue.code === "invalid_union" ? issue.errors.find(isMeant) : undefined;
    const path = issue.path.map(String);
    if (meant === undefined) return [{ path, message: issue.message }];
    return paramErrors(meant).map((inner) => ({ ...inner, path: [...path, ...inner.path] }));
  });
}

/** Whether the value has the type of this branch and only something inside it is wrong. */
function isMeant(branch: readonly ParsedIssue[]): boolean {
  return branch.length > 0 && branch.every(({ path }) => path.length > 0);
}

function unknown({ keys, inst }: Issue): string {
  return unknownKeys(keys as string[], keysOf(inst));
}

export function unknownKeys(keys: readonly string[], known: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED_KEYS).map((key) => {
    const near = nearest(key, known);
    const instead =
      near === null ? (known.length > 0 ? `there is ${known.join(", ")}` : "it takes none") : `did you mean ${near}?`;
    return `${quoteValue(key)} (${instead})`;
  });
  const more = keys.length > MAX_NAMED_KEYS ? `, nor ${keys.length - MAX_NAMED_KEYS} more` : "";
  return `there is no ${named.join(", ")}${more}`;
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeText(issue);
    case "invalid_value":
      return oneOf(issue.values.map((value: unknown) => JSON.stringify(value)));
    case "invalid_format":
      return issue.format;
    case "invalid_union":
      return issue.errors.map((branch: ParsedIssue[]) => expectedPart(branch[0])).join(" or ");
    case "too_small":
      return `at least ${issue.minimum}${issue.origin === "array" ? " of them" : ""}`;
    case "too_big":
      return `at most ${issue.maximum}${issue.origin === "array" ? " of them" : ""}`;
    default:
      return "something else";
  }
}

/** The expected value, cut out of a message. */
function expectedPart(issue: ParsedIssue | undefined): string {
  return issue?.message.replace(/^(?:missing|got .*?), expected /s, "") ?? "something else";
}

function typeText({ expected, inst }: Issue): string {
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

/** Field names of an object schema. */
function keysOf(inst: unknown): string[] {
  const shape = (inst as { shape?: object } | undefined)?.shape;
  return shape === undefined ? [] : Object.keys(shape);
}
