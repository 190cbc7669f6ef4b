/** What the audit tells of a call, long or short. */
import { HoltError } from "../../protocol/types/errors.ts";
import { base64Bytes } from "../calls/input-bytes.ts";
import type { CallRecord } from "../calls/call-record.ts";

export interface FinishedCall {
  call: CallRecord;
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

/** How much of a session's output, or of a file, an answer carries: in bytes or, of what is text already, nearly so. */
export function outputBytesIn(result: Readonly<Record<string, unknown>>): number {
  const { chunks, channels, content, stdout, stderr, data, text } = result;
  // session.exec has the same twice.
  let bytes = lengthOf(content) + (typeof data === "string" ? base64Bytes(data) : lengthOf(text));
  if (typeof stdout === "string") bytes += base64Bytes(stdout);
  if (typeof stderr === "string") bytes += base64Bytes(stderr);
  if (Array.isArray(chunks)) for (const chunk of chunks as Chunk[]) bytes += chunk.length ?? base64Bytes(chunk.data);
  if (typeof channels === "object" && channels !== null)
    for (const channel of Object.values(channels)) bytes += lengthOf(channel);
  return bytes;
}

/** Those of pty.read do not tell their length. */
interface Chunk {
  length?: number;
  data: string;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
