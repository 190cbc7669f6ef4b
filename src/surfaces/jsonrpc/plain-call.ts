/**
 * A call as programs mostly write one that has nothing to say but its name: `{"jsonrpc":"2.0","id":7,"method":"health.info","params":{}}`, with these fields, in this order, and
 * nothing between them. It is told from its bytes. A text of them, and what a parser makes of that, is found again by the collector alone, when it is long out of the caches;
 * of a call that asks for next to nothing that was a tenth. Whatever is written in another way is for the parser.
 */
import { bytesOf, textOf } from "../../protocol/bytes.ts";

export interface PlainCall {
  kind: "call";
  id: number;
  method: string;
  params: object | undefined;
  correlationId: null;
}

/** What answers begin with, too. */
export const HEAD = '{"jsonrpc":"2.0","id":';
const ID = HEAD.length;
const BEFORE_ID = bytesOf(HEAD);
const BEFORE_METHOD = bytesOf(',"method":"');
const NO_PARAMS = bytesOf(',"params":{}');
const [QUOTE, COMMA, DOT, UNDERSCORE, OPEN_BRACE, BRACE, NEWLINE, ZERO, NINE] = [
  34, 44, 46, 95, 123, 125, 10, 48, 57,
] as const;
const MOST_BYTES = 256;
/** So many have no rounding. */
const MOST_DIGITS = 15;

/** The last one that was asked for: mostly the next one as well. */
let known = { text: "", bytes: new Uint8Array(0) };

/** Null for what is not such a call. */
export function plainCall(bytes: Uint8Array): PlainCall | null {
  if (bytes.length > MOST_BYTES || !endsPlainly(bytes) || !standsAt(bytes, 0, BEFORE_ID)) return null;
  let at = ID;
  let id = 0;
  for (let digit = bytes[at] ?? 0; digit >= ZERO && digit <= NINE; digit = bytes[++at] ?? 0)
    id = id * 10 + digit - ZERO;
  const digits = at - ID;
  if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && bytes[ID] === ZERO)) return null;
  if (!standsAt(bytes, at, BEFORE_METHOD)) return null;
  at += BEFORE_METHOD.length;
  const method = methodAt(bytes, at);
  if (method === null) return null;
  at += method.length + 1;
  let params: object | undefined;
  if (bytes[at] === COMMA) {
    if (!standsAt(bytes, at, NO_PARAMS)) return null;
    at += NO_PARAMS.length;
    params = {};
  }
  if (bytes[at++] !== BRACE || (bytes[at] === NEWLINE ? at + 1 : at) !== bytes.length) return null;
  return { kind: "call", id, method, params, correlationId: null };
}

/** With its method's quote, or with no parameters: most calls that are for the parser are told by their last bytes. */
function endsPlainly(bytes: Uint8Array): boolean {
  const last = bytes[bytes.length - 1] === NEWLINE ? bytes.length - 2 : bytes.length - 1;
  return bytes[last - 1] === QUOTE || bytes[last - 2] === OPEN_BRACE;
}

/** Up to its quote; null where it has other letters than a method of ours. */
function methodAt(bytes: Uint8Array, start: number): string | null {
  if (known.text !== "" && standsAt(bytes, start, known.bytes) && bytes[start + known.bytes.length] === QUOTE)
    return known.text;
  let end = start;
  for (let byte = bytes[end] ?? 0; byte !== QUOTE; byte = bytes[++end] ?? 0) if (!isLetter(byte)) return null;
  known = { text: textOf(bytes.subarray(start, end)), bytes: bytes.slice(start, end) };
  return known.text;
}

function isLetter(byte: number): boolean {
  const small = byte | 0x20;
  return (small >= 0x61 && small <= 0x7a) || byte === DOT || byte === UNDERSCORE;
}

function standsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
