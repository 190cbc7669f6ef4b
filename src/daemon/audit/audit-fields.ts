/** Values of an audit record, extracted from a call's parameters and result. */
import { HoltError } from "../../protocol/types/errors.ts";
import { base64Bytes } from "../calls/input-bytes.ts";
import type { CallRecord } from "../calls/call-record.ts";

export interface FinishedCall {
  call: CallRecord;
  durationMs: number;
  outcome: { result: unknown } | { error: unknown };
}

/** pty.* methods call the session id `id`. */
export function sessionIn(
  method: string,
  result: Record<string, unknown>,
  params: Record<string, unknown>,
): string | null {
  const key = method.startsWith("pty.") ? "id" : "session_id";
  return textIn(result[key]) ?? textIn(params[key]);
}

let last = { at: 0, text: "" };

/** Cached: many calls share one millisecond. */
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

/** Bytes of session output or file content in a result; approximate for text. */
export function outputBytesIn(result: Readonly<Record<string, unknown>>): number {
  const { chunks, channels, content, stdout, stderr, data, text } = result;
  // session.exec returns the same output as data and as text.
  let bytes = lengthOf(content) + (typeof data === "string" ? base64Bytes(data) : lengthOf(text));
  if (typeof stdout === "string") bytes += base64Bytes(stdout);
  if (typeof stderr === "string") bytes += base64Bytes(stderr);
  if (Array.isArray(chunks)) for (const chunk of chunks as Chunk[]) bytes += chunk.length ?? base64Bytes(chunk.data);
  if (typeof channels === "object" && channels !== null)
    for (const channel of Object.values(channels)) bytes += lengthOf(channel);
  return bytes;
}

/** pty.read chunks have no length. */
interface Chunk {
  length?: number;
  data: string;
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
