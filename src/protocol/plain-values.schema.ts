/**
 * Values that a schema takes and leaves as they are, told without asking it: a text, a switch, a whole number, a list of texts, the size of a terminal. To ask costs a start
 * twenty microseconds for each of them, and eighty for a size, since nothing of it is warm by then.
 */
import * as z from "zod";

/** Whether a value is certainly such a one; false says nothing. */
export type PlainCheck = (value: unknown) => boolean;

/** Of schemas with a rule of their own. */
const ruled = new WeakMap<object, PlainCheck>();

/** The schema with a rule beyond its own, which can be told without asking it, too. `otherwise`: what refine() takes. */
export function withRule<S extends z.ZodType>(
  schema: S,
  rule: (value: z.output<S>) => boolean,
  otherwise: Parameters<S["refine"]>[1],
): S {
  const isPlain = plainCheck(schema);
  const made = schema.refine(rule, otherwise);
  if (isPlain !== null) ruled.set(made, (value) => isPlain(value) && rule(value as z.output<S>));
  return made;
}

/** Null where the schema has to be asked in any case: it has rules of its own, or may make something else of what it is given. */
export function plainCheck(schema: unknown): PlainCheck | null {
  if (schema instanceof z.ZodArray) return ofEach(plainCheck(schema.def.element), leastOf(schema.def.checks ?? []));
  if (schema instanceof z.ZodNumber) return wholeNumber(schema);
  if (schema instanceof z.ZodType && ruled.has(schema)) return ruled.get(schema) ?? null;
  if (!(schema instanceof z.ZodType) || (schema.def.checks ?? []).length > 0) return null;
  if (schema instanceof z.ZodString) return (value) => typeof value === "string";
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === "boolean";
  if (schema instanceof z.ZodLiteral) return (value) => schema.values.has(value as never);
  if (schema instanceof z.ZodEnum) return (value) => schema.options.includes(value as never);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return plainCheck(schema.def.innerType);
  if (schema instanceof z.ZodObject) return ofKeys(schema);
  if (schema instanceof z.ZodNullable) return firstOf([isNull, plainCheck(schema.def.innerType)]);
  return schema instanceof z.ZodUnion ? firstOf(schema.def.options.map(plainCheck)) : null;
}

const isNull: PlainCheck = (value) => value === null;

/** The first that takes a value is the one that counts: behind one that is not known nothing is. */
function firstOf(options: readonly (PlainCheck | null)[]): PlainCheck {
  return (value) => {
    for (const option of options) {
      if (option === null) return false;
      if (option(value)) return true;
    }
    return false;
  };
}

function ofEach(isPlain: PlainCheck | null, least: number | null): PlainCheck | null {
  if (isPlain === null || least === null) return null;
  return (value) => Array.isArray(value) && value.length >= least && value.every(isPlain);
}

/** Of an object that may have no other keys. */
function ofKeys(schema: z.ZodObject): PlainCheck | null {
  if (!(schema.def.catchall instanceof z.ZodNever)) return null;
  const keys = new Map(Object.entries(schema.shape).map(([key, field]) => [key, plainCheck(field)]));
  // All of them: what is left out may be given a value.
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const given = Object.entries(value);
    return given.length === keys.size && given.every(([key, each]) => keys.get(key)?.(each) === true);
  };
}

/** Null where there are other rules than its bounds. */
function wholeNumber(schema: z.ZodNumber): PlainCheck | null {
  if ((schema.def as { format?: string }).format !== "safeint") return null;
  let [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  for (const { _zod } of schema.def.checks ?? []) {
    const { check, value, inclusive } = _zod.def as Partial<
      z.core.$ZodCheckGreaterThanDef | z.core.$ZodCheckLessThanDef
    >;
    if (typeof value !== "number" || inclusive !== true) return null;
    if (check === "greater_than") least = Math.max(least, value);
    else if (check === "less_than") most = Math.min(most, value);
    else return null;
  }
  return (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** Null where there are other rules. */
function leastOf(checks: readonly z.core.$ZodCheck[]): number | null {
  let least = 0;
  for (const { _zod } of checks) {
    if (_zod.def.check !== "min_length") return null;
    least = Math.max(least, (_zod.def as z.core.$ZodCheckMinLengthDef).minimum);
  }
  return least;
}
