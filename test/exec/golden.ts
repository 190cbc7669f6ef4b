/**
 * What a result looks like, held to a file: its fields, their order and the values that do not change. `WRITE_GOLDEN=1` writes them anew.
 */
import { expect } from "bun:test";
import { existsSync, mkdirSync, writeFileSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Fields whose values are another time other ones. */
const VARYING = new Set([
  "session_id",
  "id",
  "duration_ms",
  "cpu_ms",
  "max_rss_kb",
  "started_at",
  "ended_at",
  "ts",
  "modified_at",
  "subscription_id",
]);

export function expectGolden(name: string, result: unknown): void {
  const file = join(import.meta.dir, "golden", `${name}.json`);
  const text = `${JSON.stringify(normal(result), null, 2)}\n`;
  if (process.env["WRITE_GOLDEN"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(existsSync(file) ? readFileSync(file, "utf8") : `no ${file}`).toBe(text);
}

function normal(value: unknown, key = ""): unknown {
  if (VARYING.has(key) && value !== null) return `<${typeof value}>`;
  if (value === process.env["HOME"]) return "<home>";
  if (Array.isArray(value)) return value.map((item) => normal(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normal(item, name)]));
}
