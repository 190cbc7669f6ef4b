/**
 * The check of a call's parameters, for a schema with many keys of which a call has few: what is left out is known beforehand, and only what is given is
 * looked at. Anything that is not plainly right is left to the schema itself, which also says what is wrong with it.
 */
import * as z from "zod";
import { frozen } from "./lasting.ts";
import { plainCheck } from "./plain-values.schema.ts";

/** The parameters as the schema would have made them; null where it has to be asked. "plain": nor is that of a single key, which may take its time over a long list. */
export type SparseParse = (given: unknown, how: "plain" | "by key") => Record<string, unknown> | null;

const UNKNOWN: SparseParse = () => null;

export function sparseParse(schema: z.ZodType): SparseParse {
  // Without rules of its own beyond those of its keys.
  if (!(schema instanceof z.ZodObject) || (schema.def.checks ?? []).length > 0) return UNKNOWN;
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const keys = new Map(Object.entries(shape).map(([key, field]) => [key, { field, isPlain: plainCheck(field) }]));
  const absent: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [key, { field }] of keys) {
    const parsed = field.safeParse(undefined);
    if (!parsed.success) required.push(key);
    else if (parsed.data !== undefined) absent[key] = frozen(parsed.data); // every call has the same
  }
  return (given, how) => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) return null;
    const params = { ...absent };
    for (const key of Object.keys(given)) {
      const known = keys.get(key);
      const value: unknown = (given as Record<string, unknown>)[key];
      if (known?.isPlain?.(value) === true) params[key] = value;
      else {
        if (how === "plain") return null;
        const parsed = known?.field.safeParse(value);
        if (parsed?.success !== true) return null;
        params[key] = parsed.data;
      }
    }
    return required.every((key) => Object.hasOwn(given, key)) ? params : null;
  };
}
