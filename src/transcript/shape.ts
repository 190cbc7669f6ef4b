/** Values of unknown origin, taken field by field: undefined says that the value is not of that shape. */

type Parser<T> = (value: unknown) => T | undefined;
type Parsers<T> = { [K in keyof T]: Parser<T[K]> };

export const text: Parser<string> = (value) => (typeof value === "string" ? value : undefined);

export const flag: Parser<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

export const integer: Parser<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : undefined);

/** A count, a size, an offset, an id of the kernel's. */
export const count: Parser<number> = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? (value as number) : undefined;

export const amount: Parser<number> = (value) =>
  Number.isFinite(value) && Number(value) >= 0 ? (value as number) : undefined;

/** RFC 3339, UTC. */
export const time: Parser<string> = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

export function oneOf<T extends string>(words: readonly T[]): Parser<T> {
  return (value) => words.find((word) => word === value);
}

export function nullable<T>(parse: Parser<T>): Parser<T | null> {
  return (value) => (value === null ? null : parse(value));
}

/** A field of a later version: records without it are as good. */
export function orMissing<T>(parse: Parser<T>): Parser<T | null> {
  return (value) => (value === undefined || value === null ? null : parse(value));
}

/** The same where it means something that it is missing. */
export function orElse<T>(parse: Parser<T>, fallback: T): Parser<T> {
  return (value) => (value === undefined ? fallback : parse(value));
}

export function list<T>(parse: Parser<T>): Parser<T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items: T[] = [];
    for (const item of value) {
      const parsed = parse(item);
      if (parsed === undefined) return undefined;
      items.push(parsed);
    }
    return items;
  };
}

/** The named fields, each of its shape; fields of a later version are left out. */
export function fields<T extends object>(parsers: Parsers<T>): Parser<T> {
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    const result: Partial<T> = {};
    for (const key in parsers) {
      const field = parsers[key]((value as Record<string, unknown>)[key]);
      if (field === undefined) return undefined;
      result[key] = field;
    }
    return result as T;
  };
}

/** Of JSON text; null when it is no JSON, or not of that shape. */
export function parseJson<T>(json: string, parse: Parser<T>): T | null {
  try {
    return parse(JSON.parse(json)) ?? null;
  } catch {
    return null;
  }
}
