/** What a caller asked for, as its handler is given it. */
import type * as z from "zod";
import { HoltError } from "../protocol/errors.ts";
import { explain, refusals } from "../protocol/refusals.schema.ts";
import { type SparseParse, sparseParse } from "../protocol/sparse-params.schema.ts";
import type { AnyRow, Method } from "../protocol/table.schema.ts";

const IN_WORDS = { error: explain };

/** Made with the first call. */
const sparse = new Map<Method, SparseParse>();

/** EBADARGS says what is wrong with them. */
export function parsedParams({ name, params }: AnyRow, given: unknown): unknown {
  const parse = sparse.get(name) ?? sparseParse(params);
  sparse.set(name, parse);
  const quick = parse(given);
  if (quick !== null) return quick;
  const parsed = params.safeParse(given, IN_WORDS);
  if (parsed.success) return parsed.data;
  throw badParams(name, parsed.error);
}

function badParams(method: string, error: z.ZodError): HoltError {
  const issues = refusals(error.issues);
  const told = issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "params"}: ${message}`);
  return new HoltError("EBADARGS", `${method}: ${told.join("; ")}`, { details: { issues: issues.slice(0, 10) } });
}
