/**
 * Detects structured output. All of it must be of one format, with a shape that prose, logs and
 * `name: value` lists do not have; ambiguous output is text.
 *
 * JSON: an object or array. JSONL: an object or array on each of at least two lines. TOML: a table,
 * or at least two `key = value`. YAML: see structured-yaml.ts.
 */
import { isYaml } from "./structured-yaml.ts";

export interface StructuredOutput {
  format: "json" | "jsonl" | "yaml" | "toml";
  data: unknown;
}

export const MAX_STRUCTURED_BYTES = 256 * 1024;
const MAX_DEPTH = 100;
/** An integer that a double may not represent. */
const LONG_NUMBER = /\d{16}/;

const strict = new TextDecoder("utf-8", { fatal: true });

/** Takes the complete output; null if it is text. */
export function parseStructured(bytes: Uint8Array): StructuredOutput | null {
  if (bytes.length === 0 || bytes.length > MAX_STRUCTURED_BYTES) return null;
  const text = decoded(bytes);
  if (text === null) return null;
  const found = json(text) ?? jsonl(text) ?? toml(text) ?? yaml(text);
  return found !== null && isJsonValue(found.data, 0) ? found : null;
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

function json(text: string): StructuredOutput | null {
  const data = /^\s*[[{]/.test(text) ? parsed(exactJson, text) : undefined;
  return data === undefined ? null : { format: "json", data };
}

function jsonl(text: string): StructuredOutput | null {
  if (!/^[[{]/.test(text)) return null;
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length < 2) return null;
  const data: unknown[] = [];
  for (const line of lines) {
    const item = /^[[{]/.test(line) ? parsed(exactJson, line) : undefined;
    if (item === undefined) return null;
    data.push(item);
  }
  return { format: "jsonl", data };
}

/**
 * A `key =` must follow the header, because logs print `[level]` too. Matched by line: linear in
 * the output's length.
 */
const TOML_HEADER = /^[ \t]*\[\[?[^[\]]+\]\]?[ \t]*(?:#.*)?\r?$/;
const TOML_KEY = /^[ \t]*[\w."'-]+[ \t]*=/;
const TOML_BLANK = /^[ \t]*(?:#.*)?\r?$/;

/** With spaces around `=`: without them it may be shell variables. */
const TOML_PAIR = /^[a-z_"'][\w."'-]* = \S/;

function toml(text: string): StructuredOutput | null {
  if (!(hasTomlTable(text) || hasTomlPairs(text)) || LONG_NUMBER.test(text)) return null;
  const data = parsed((source) => Bun.TOML.parse(source), text);
  return data === undefined ? null : { format: "toml", data };
}

function hasTomlTable(text: string): boolean {
  const lines = text.split("\n").filter((line) => !TOML_BLANK.test(line));
  return lines.some((line, i) => TOML_HEADER.test(line) && TOML_KEY.test(lines[i + 1] ?? ""));
}

function hasTomlPairs(text: string): boolean {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return TOML_PAIR.test(lines[0] ?? "") && lines.filter((line) => TOML_PAIR.test(line)).length > 1;
}

function yaml(text: string): StructuredOutput | null {
  if (!isYaml(text) || LONG_NUMBER.test(text)) return null;
  const data = parsed((source) => Bun.YAML.parse(source), text);
  return typeof data !== "object" || data === null ? null : { format: "yaml", data };
}

/** Refuses rounding: a changed 64-bit id is worse than text. */
function exactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, unrounded) : JSON.parse(text);
}

function unrounded(_key: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  const isInteger = typeof value === "number" && /^-?\d+$/.test(source);
  if (isInteger && String(value) !== source && BigInt(value) !== BigInt(source)) throw new RangeError(source);
  return value;
}

/** Undefined if it cannot be parsed. */
function parsed(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** True if JSON represents the value exactly: no NaN, date or cycle. */
function isJsonValue(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return value !== undefined && typeof value !== "bigint";
  if (Array.isArray(value)) return value.every((item) => isJsonValue(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((item) => isJsonValue(item, depth + 1));
}
