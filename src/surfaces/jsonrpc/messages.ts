/** Parses JSON-RPC 2.0 messages and makes answers. */
import { ownCorrelationId } from "../../protocol/wire/correlation-id.ts";
import { ERROR_CODES, type ErrorCode, HoltError, JSONRPC_ERRORS } from "../../protocol/types/errors.ts";
import { textOf } from "../../protocol/types/bytes.ts";

export type Id = string | number | null;

export type RpcRequest =
  | { kind: "call"; id: Id; method: string; params: unknown; correlationId: string | null }
  | { kind: "notification"; method: string; params: unknown; correlationId: string | null }
  | { kind: "invalid"; answer: object };

/** One request or a batch; `invalid` requests already have their answer. */
export type Message = { kind: "single"; request: RpcRequest } | { kind: "batch"; requests: RpcRequest[] };

const MAX_BATCH = 1000;

export function parseMessage(bytes: Uint8Array): Message {
  let value: unknown;
  try {
    value = JSON.parse(textOf(bytes));
  } catch {
    return { kind: "single", request: { kind: "invalid", answer: errorAnswer("parse", "the message is not JSON") } };
  }
  if (!Array.isArray(value)) return { kind: "single", request: parseRequest(value) };
  if (value.length === 0) return invalidMessage("the batch is empty");
  if (value.length > MAX_BATCH)
    return invalidMessage(`too many calls in a batch: ${value.length}, at most ${MAX_BATCH}`);
  return { kind: "batch", requests: value.map(parseRequest) };
}

export function messageTooLong(maxBytes: number): object {
  return errorAnswer("parse", `the message is longer than ${maxBytes} bytes`);
}

export function parseError(why: string): object {
  return errorAnswer("parse", why);
}

export function notificationOf(method: string, params: object): object {
  return { jsonrpc: "2.0", method, params };
}

export function resultOf(id: Id, result: unknown): object {
  return { jsonrpc: "2.0", id, result };
}

export interface ErrorAnswer {
  jsonrpc: "2.0";
  id: Id;
  error: { code: number; message: string; data: ErrorData };
}

interface ErrorData {
  code: ErrorCode;
  /** Null until the error is logged (`withCorrelationId`). */
  correlation_id: string | null;
  details: Record<string, unknown>;
  hint: string | null;
}

/** Every error has our code, correlation id, details and hint in `data`. */
export function errorOf(id: Id, error: HoltError, number: number = ERROR_CODES[error.code].jsonrpc): ErrorAnswer {
  const { code, message, hint } = error;
  const { correlation_id, ...details } = error.details;
  const data = { code, correlation_id: ownCorrelationId(correlation_id), details, hint };
  return { jsonrpc: "2.0", id, error: { code: number, message, data } };
}

/** Adds the correlation id that `logRefused` returns to an error without one. */
export function withCorrelationId<A extends object>(
  answer: A,
  logRefused: (error: { code: ErrorCode; message: string }) => string,
): A {
  const { error } = answer as Partial<ErrorAnswer>;
  if (error !== undefined) error.data.correlation_id ??= logRefused({ code: error.data.code, message: error.message });
  return answer;
}

function invalidMessage(message: string): Message {
  return { kind: "single", request: { kind: "invalid", answer: errorAnswer("request", message) } };
}

function errorAnswer(kind: keyof typeof JSONRPC_ERRORS, message: string, id: Id = null): object {
  const hint = 'a call is {"jsonrpc":"2.0","id":1,"method":"health.info","params":{}}';
  return errorOf(id, new HoltError("EBADARGS", message, { hint }), JSONRPC_ERRORS[kind]);
}

function parseRequest(value: unknown): RpcRequest {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { kind: "invalid", answer: errorAnswer("request", "a call must be an object") };
  const { jsonrpc, id, method, params, correlation_id } = value as Record<string, unknown>;
  const known = isId(id) ? id : null;
  if (jsonrpc !== "2.0") return { kind: "invalid", answer: errorAnswer("request", 'jsonrpc must be "2.0"', known) };
  if (typeof method !== "string")
    return { kind: "invalid", answer: errorAnswer("request", "method must be a string", known) };
  const correlationId = ownCorrelationId(correlation_id);
  if (id === undefined) return { kind: "notification", method, params, correlationId };
  if (!isId(id))
    return {
      kind: "invalid",
      answer: errorAnswer("request", "id must be a string, null, or a number of at most 2^53 - 1"),
    };
  return { kind: "call", id, method, params, correlationId };
}

function isId(value: unknown): value is Id {
  // 1e999 parses to Infinity, and 9007199254740993 to another number: neither could be sent back
  // unchanged.
  if (typeof value !== "number") return value === null || typeof value === "string";
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
