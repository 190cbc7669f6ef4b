/** Parsers for values of unknown origin; undefined means that the value has another shape. */

type Parser<T> = (value: unknown) => T | undefined;
type Parsers<T> = { [K in keyof T]: Parser<T[K]> };

export const text: Parser<string> = (value) => (typeof value === "string" ? value : undefined);

export const flag: Parser<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

export const integer: Parser<number> = (value) => (Number.isSafeInteger(value) ? (value as number) : undefined);

/** A count, size, offset or kernel id: an integer from 0. */
export const count: Parser<number> = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? (value as number) : undefined;

export const amount: Parser<number> = (value) =>
  Number.isFinite(value) && Number(value) >= 0 ? (value as number) : undefined;

/** A time in RFC 3339, UTC. */
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

/** A field added by a later version: null in older records. */
export function orMissing<T>(parse: Parser<T>): Parser<T | null> {
  return (value) => (value === undefined || value === null ? null : parse(value));
}

/** A field added by a later version, with a value for older records. */
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

/** An object with these fields; other fields are dropped. */
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

/** Parses JSON text; null if it is invalid or has another shape. */
export function parseJson<T>(json: string, parse: Parser<T>): T | null {
  try {
    return parse(JSON.parse(json)) ?? null;
  } catch {
    return null;
  }
}
