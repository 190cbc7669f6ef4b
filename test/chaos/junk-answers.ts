/** What JSON-RPC 2.0 wants to be answered to a message that may be none, told from its bytes alone: an answer for each call in it, and one for what cannot be a call. */
import type { Answer } from "./framed-caller.ts";

/** Of the methods that junk calls, those that need no params; the others need a session. */
const NEED_NOTHING = new Set(["session.list", "health.info"]);
const NEED_A_SESSION = new Set(["session.get", "session.read", "session.wait"]);

const PARSE = -32700;
const REQUEST = -32600;
const METHOD = -32601;
const PARAMS = -32602;

/** To be compared in any order, as calls are answered when they end. */
export function inWords({ id, error }: Pick<Answer, "error"> & { id: unknown }): string {
  return `${JSON.stringify(id)}: ${error?.code ?? "a result"}`;
}

export const NO_MESSAGE = inWords(refusal(PARSE));

export function answersTo(body: Uint8Array): string[] {
  if (body.every((byte) => [32, 9, 13, 10].includes(byte))) return [];
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return [NO_MESSAGE];
  }
  const calls = Array.isArray(value) && value.length > 0 ? value : [value];
  return calls.flatMap((call) => answerTo(call) ?? []).map(inWords);
}

type Expected = Parameters<typeof inWords>[0];

/** Null for a notification. */
function answerTo(call: unknown): Expected | null {
  if (typeof call !== "object" || call === null || Array.isArray(call)) return refusal(REQUEST);
  const { jsonrpc, id, method, params } = call as Record<string, unknown>;
  const isId = id === null || typeof id === "string" || typeof id === "number";
  const isCall = jsonrpc === "2.0" && typeof method === "string";
  if (isCall && id === undefined) return null;
  if (!isCall || !isId) return refusal(REQUEST, isId ? id : null);
  if (NEED_A_SESSION.has(method)) return refusal(PARAMS, id);
  if (!NEED_NOTHING.has(method)) return refusal(METHOD, id);
  return isNothing(params) ? { id } : refusal(PARAMS, id);
}

function refusal(code: number, id: unknown = null): Expected {
  return { id, error: { code, message: "", data: { code: "" } } };
}

function isNothing(params: unknown): boolean {
  return params === null || params === undefined || JSON.stringify(params) === "{}";
}
