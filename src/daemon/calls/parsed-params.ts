/**
 * Parses a call's parameters by its schema.
 *
 * Long lists are checked 1000 entries at a time, and the first window with an error is reported. A
 * schema reports every wrong entry: for a million of them that took half a minute and gigabytes
 * while all other calls waited.
 */
import { HoltError } from "../../protocol/types/errors.ts";
import { issueMessage, type ParamError, paramErrors } from "../../protocol/methods/param-errors.schema.ts";
import type { AnyRow } from "../../protocol/methods/table.schema.ts";

const WINDOW_ENTRIES = 1000;
const MAX_DEPTH = 64;
const IN_WORDS = { error: issueMessage };

/** Throws EBADARGS with what is wrong. */
export function parsedParams({ name, params }: AnyRow, given: unknown): unknown {
  for (const window of windowsOf(given)) {
    const part = params.safeParse(window.params, IN_WORDS);
    if (!part.success) throw badParams(name, withListIndex(paramErrors(part.error.issues), window));
  }
  const parsed = params.safeParse(given, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw badParams(name, paramErrors(parsed.error.issues));
}

/** Converts indices within a window to indices in the full list. */
function withListIndex(found: readonly ParamError[], { at, lists }: WindowOfParams): ParamError[] {
  return found.map(({ path: [list = "", index, ...rest], message }) => {
    if (index === undefined) return { path: list === "" ? [] : [list], message };
    return { path: [list, lists.has(list) ? String(Number(index) + at) : index, ...rest], message };
  });
}

function badParams(method: string, issues: readonly ParamError[]): HoltError {
  const texts = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "params"}: ${message}`);
  return new HoltError("EBADARGS", `${method}: ${texts.join("; ")}`, { details: { issues: issues.slice(0, 10) } });
}

interface WindowOfParams {
  params: unknown;
  /** The window's start within the cut lists. */
  at: number;
  lists: ReadonlySet<string>;
}

/** Empty if no list is long. Nested lists are bounded by `requireShort`. */
function windowsOf(params: unknown): Iterable<WindowOfParams> {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return NONE;
  return Object.values(params).every(isShortAndFlat) ? NONE : windowsOfLists(params);
}

/** The usual case: no list, or a short flat one. */
function isShortAndFlat(value: unknown): boolean {
  if (!isList(value)) return true;
  if (sizeOf(value) > WINDOW_ENTRIES) return false;
  for (const each of Array.isArray(value) ? value : Object.values(value)) if (isList(each)) return false;
  return true;
}

const NONE: readonly WindowOfParams[] = [];

function* windowsOfLists(params: object): Generator<WindowOfParams> {
  const fields = Object.entries(params);
  for (const [name, value] of fields) requireShort(name, value);
  const long = fields.filter(([, value]) => sizeOf(value) > WINDOW_ENTRIES);
  const longest = Math.max(0, ...long.map(([, value]) => sizeOf(value)));
  const lists = new Set(long.filter(([, value]) => Array.isArray(value)).map(([name]) => name));
  const entries = new Map(
    long.map(([name, value]) => [name, Array.isArray(value) ? value : Object.entries(value as object)]),
  );
  for (let at = 0; at < longest; at += WINDOW_ENTRIES) {
    const cut = [...entries].map(([name, all]) => {
      const from = at < all.length ? at : 0;
      const part = all.slice(from, from + WINDOW_ENTRIES);
      return [name, lists.has(name) ? part : Object.fromEntries(part as [string, unknown][])];
    });
    yield { params: { ...params, ...Object.fromEntries(cut) }, at, lists };
  }
}

function requireShort(name: string, value: unknown): void {
  if (!isList(value)) return;
  for (const each of Array.isArray(value) ? value : Object.values(value))
    if (isList(each) && isTooLarge(each))
      throw new HoltError(
        "EBADARGS",
        `${name}: an entry has more than ${WINDOW_ENTRIES} entries or ${MAX_DEPTH} levels`,
        {
          hint: "send it in smaller parts",
        },
      );
}

function isTooLarge(value: object): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH || level.some((each) => sizeOf(each) > WINDOW_ENTRIES)) return true;
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
