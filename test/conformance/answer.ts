/** An answer, whichever surface it came through, and what two answers to the same call must have in common. */

import { expect } from "bun:test";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";

export type Answer =
  | { result: Record<string, unknown> }
  | { error: { code: string; message: string; details: Record<string, unknown>; hint: string | null } };

/** What differs from one call to the next, by its name: only its kind is compared. */
const VOLATILE = new Set([
  "pid",
  "start_time",
  "boot_id",
  "socket",
  "created_at",
  "started_at",
  "ended_at",
  "at",
  "timestamp",
  "ts",
  "duration_ms",
  "waited_ms",
  "uptime_s",
  "usage",
  "clients",
  "warm",
  "quiet_since",
  "correlation_id",
  "subscription_id",
  "holders",
  "sessions",
  "total_count",
  "lag_bytes",
  "searched",
  "output_bytes",
  "entries",
  // of HTTP and its keys: where it is served, and what opens it
  "was_running",
  "url",
  "port",
  "token",
  "ticket",
  "expires_at",
  // how much was printed when
  "starts_at",
  "ends_at",
  "buckets",
  "marks",
  // says who takes over, which MCP asks to be said
  "opening",
  "started_by", // the caller of that surface
  "idle_timeout_ms", // 15 minutes for a terminal over HTTP
]);

/** Fixed ids are compared; those that holt chose are not. */
const FIXED = new Set(["k3f9q2", "d4k8w1", "t8x2k4"]);
const IDS = new Set(["session_id", "previous_session_id", "next_session_id", "id", "execution_id", "token_id"]);

export function comparable(value: unknown, name = ""): unknown {
  if (VOLATILE.has(name)) return kindOf(value);
  if (IDS.has(name) && typeof value === "string" && !FIXED.has(value)) return "<id>";
  if (name === "chunks") return bytesIn(value as { channel?: string; stream?: string; data: string }[]);
  if (Array.isArray(value)) return value.map((each) => comparable(each));
  if (typeof value === "string" && IN_WORDS.has(name)) return inMethodNames(value);
  if (typeof value !== "object" || value === null) return value;
  // Where the output stood when something was typed: another time it stands elsewhere.
  const { next_cursor, ...typed } = value as { next_cursor?: unknown };
  if ("entries" in value) return listed(value as Listing);
  if ("bytes_written" in typed) return { ...typed, next_cursor: kindOf(next_cursor) };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each, key)]));
}

interface Listing {
  entries: unknown[];
  total_count: number;
  truncated: boolean;
}

/** Others write to the directory from one call to the next. */
function listed({ entries, total_count, truncated, ...rest }: Listing): object {
  expect(truncated).toBe(total_count > entries.length);
  return { ...rest, entries: kindOf(entries), total_count: kindOf(total_count), truncated: kindOf(truncated) };
}

/** Over MCP a method is told by the name of its tool. */
const IN_WORDS = new Set(["message", "hint"]);
const TOOLS = new Map([...TABLE.keys()].map((method) => [method.replace(".", "_"), method]));

function inMethodNames(text: string): string {
  return text.replaceAll(/\b[a-z]+_[a-z_]+\b/g, (word) => TOOLS.get(word) ?? word);
}

/** Where one read ended and the next began is the kernel's business. */
function bytesIn(chunks: readonly { channel?: string; stream?: string; data: string }[]): Record<string, string> {
  const bytes: Record<string, string> = {};
  for (const { channel, stream, data } of chunks) {
    const from = channel ?? stream ?? "";
    bytes[from] = (bytes[from] ?? "") + Buffer.from(data, "base64").toString("latin1");
  }
  return bytes;
}

function kindOf(value: unknown): string {
  if (value === null) return "<null or value>";
  return Array.isArray(value) ? "<array>" : `<null or value>`;
}
