/** A call's parameters, as its handler gets them. */
import { HoltError } from "../protocol/errors.ts";
import { explain, type Refusal, refusals } from "../protocol/refusals.schema.ts";
import type { AnyRow } from "../protocol/table.schema.ts";
import { type WindowOfParams, windowsOf } from "./windows.ts";

const IN_WORDS = { error: explain };

/** EBADARGS says what is wrong with them. */
export function parsedParams({ name, params }: AnyRow, given: unknown): unknown {
  for (const window of windowsOf(given)) {
    const part = params.safeParse(window.params, IN_WORDS);
    if (!part.success) throw badParams(name, placed(refusals(part.error.issues), window));
  }
  const parsed = params.safeParse(given, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw badParams(name, refusals(parsed.error.issues));
}

/** In the list as it was given. */
function placed(found: readonly Refusal[], { at, lists }: WindowOfParams): Refusal[] {
  return found.map(({ path: [list = "", index, ...rest], message }) => {
    if (index === undefined) return { path: list === "" ? [] : [list], message };
    return { path: [list, lists.has(list) ? String(Number(index) + at) : index, ...rest], message };
  });
}

function badParams(method: string, issues: readonly Refusal[]): HoltError {
  const told = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "params"}: ${message}`);
  return new HoltError("EBADARGS", `${method}: ${told.join("; ")}`, { details: { issues: issues.slice(0, 10) } });
}
