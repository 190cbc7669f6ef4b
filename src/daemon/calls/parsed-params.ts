/**
 * A call's parameters, as its handler gets them.
 *
 * Long lists among the parameters of a call, a thousand entries at a time. A schema tells of each entry that is wrong: of a million of them, in one message, that took half a minute and
 * gigabytes, and everybody waited. So what is not right at once is looked at by windows, and the first that has something wrong is told of.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { issueMessage, type ParamError, paramErrors } from "../../protocol/methods/param-errors.schema.ts";
import type { AnyRow } from "../../protocol/methods/table.schema.ts";

const WINDOW = 1000;
const DEEPEST = 64;
const IN_WORDS = { error: issueMessage };

/** EBADARGS says what is wrong with them. */
export function parsedParams({ name, params }: AnyRow, given: unknown): unknown {
  for (const window of windowsOf(given)) {
    const part = params.safeParse(window.params, IN_WORDS);
    if (!part.success) throw badParams(name, placed(paramErrors(part.error.issues), window));
  }
  const parsed = params.safeParse(given, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw badParams(name, paramErrors(parsed.error.issues));
}

/** In the list as it was given. */
function placed(found: readonly ParamError[], { at, lists }: WindowOfParams): ParamError[] {
  return found.map(({ path: [list = "", index, ...rest], message }) => {
    if (index === undefined) return { path: list === "" ? [] : [list], message };
    return { path: [list, lists.has(list) ? String(Number(index) + at) : index, ...rest], message };
  });
}

function badParams(method: string, issues: readonly ParamError[]): HoltError {
  const told = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "params"}: ${message}`);
  return new HoltError("EBADARGS", `${method}: ${told.join("; ")}`, { details: { issues: issues.slice(0, 10) } });
}

interface WindowOfParams {
  params: unknown;
  /** Where it begins, in the lists that are cut: an index in it counts from there. */
  at: number;
  lists: ReadonlySet<string>;
}

/** None where nothing is long. Lists within lists are never long. */
function windowsOf(params: unknown): Iterable<WindowOfParams> {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return NONE;
  return Object.values(params).every(isPlain) ? NONE : windowsOfLists(params);
}

/** As in most calls: no list, or a short one of what is no list itself. */
function isPlain(value: unknown): boolean {
  if (!isList(value)) return true;
  if (sizeOf(value) > WINDOW) return false;
  for (const each of Array.isArray(value) ? value : Object.values(value)) if (isList(each)) return false;
  return true;
}

const NONE: readonly WindowOfParams[] = [];

function* windowsOfLists(params: object): Generator<WindowOfParams> {
  const fields = Object.entries(params);
  for (const [name, value] of fields) requireShort(name, value);
  const long = fields.filter(([, value]) => sizeOf(value) > WINDOW);
  const longest = Math.max(0, ...long.map(([, value]) => sizeOf(value)));
  const lists = new Set(long.filter(([, value]) => Array.isArray(value)).map(([name]) => name));
  const entries = new Map(
    long.map(([name, value]) => [name, Array.isArray(value) ? value : Object.entries(value as object)]),
  );
  for (let at = 0; at < longest; at += WINDOW) {
    const cut = [...entries].map(([name, all]) => {
      const from = at < all.length ? at : 0;
      const part = all.slice(from, from + WINDOW);
      return [name, lists.has(name) ? part : Object.fromEntries(part as [string, unknown][])];
    });
    yield { params: { ...params, ...Object.fromEntries(cut) }, at, lists };
  }
}

function requireShort(name: string, value: unknown): void {
  if (!isList(value)) return;
  for (const each of Array.isArray(value) ? value : Object.values(value))
    if (isList(each) && isTooMuch(each))
      throw new HoltError(
        "EBADARGS",
        `${name}: more than ${WINDOW} entries within one of its entries, or ${DEEPEST} levels`,
        {
          hint: "send less of it at once",
        },
      );
}

function isTooMuch(value: object): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST || level.some((each) => sizeOf(each) > WINDOW)) return true;
    level = level.flatMap((each) => Object.values(each).filter(isList));
  }
  return false;
}

function isList(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function sizeOf(value: unknown): number {
  if (!isList(value)) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
