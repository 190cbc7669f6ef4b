/** What the audit tells of a call, long or short. */
import { HoltError } from "../protocol/errors.ts";
import type { Passage } from "./passages.ts";

export interface Ended {
  passage: Passage;
  durationMs: number;
  outcome: { result: unknown } | { error: unknown };
}

/** A terminal's `id` is that of its session. */
export function sessionIn(
  method: string,
  result: Record<string, unknown>,
  params: Record<string, unknown>,
): string | null {
  const key = method.startsWith("pty.") ? "id" : "session_id";
  return textIn(result[key]) ?? textIn(params[key]);
}

let last = { at: 0, text: "" };

/** Of many calls in one millisecond. */
export function now(): string {
  const at = Date.now();
  if (at !== last.at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}

export function codeOf(error: unknown): string {
  return error instanceof HoltError ? error.code : "EINTERNAL";
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textIn(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, 128) : null;
}

export function numberIn(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
