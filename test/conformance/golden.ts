/**
 * The shape of a row's result, held to a file: which fields it has, in which order, and of what kind each is. `WRITE_GOLDEN=1` writes the files anew; a
 * difference is something that a caller would notice.
 */
import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENDED } from "./household.ts";

const DIRECTORY = join(import.meta.dir, "golden");
/** Not there, or of another kind, from one moment or one surface to the next. */
const FLEETING = new Set(["idle_timeout_ms", "quiet_since", "waiting_for", "usage", "start_time"]);
/** Keyed by what the caller or the machine calls it. */
const OPEN = new Set(["channels", "channel_errors", "details"]);

export function expectShape(method: string, result: unknown): void {
  const file = join(DIRECTORY, `${method}.json`);
  const text = `${JSON.stringify(shapeOf(result), null, 2)}\n`;
  if (process.env["WRITE_GOLDEN"] === "1") {
    mkdirSync(DIRECTORY, { recursive: true });
    writeFileSync(file, text);
  }
  const held: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : `no ${file}`;
  // As text: the order of the fields counts.
  expect(JSON.stringify(held, null, 2)).toBe(text.trimEnd());
}

function shapeOf(value: unknown, name = ""): unknown {
  if (FLEETING.has(name)) return "any";
  if (value === null) return "null";
  // Each of a list has the same shape; which of its fields are null may differ.
  if (Array.isArray(value)) return value.length === 0 ? [] : [OPEN.has(name) ? "any" : shapeOf(chosen(value))];
  if (typeof value !== "object") return typeof value;
  if (OPEN.has(name)) return "object";
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each, key)]));
}

/** Of sessions, the one that every household has. */
function chosen(list: readonly unknown[]): unknown {
  return list.find((each) => (each as { session_id?: unknown } | null)?.session_id === ENDED) ?? list[0];
}
