/**
 * A start of which nothing is left to be worked out: what a warm holder writes to disk, and what it tells the process that waits to be the command, byte for byte. The
 * command runs before the holder has so much as read what it is (docs/adr/0028).
 *
 * A head of 168 bytes, which machine code reads (platform/native/opening-x64.s), and behind it three parts: `meta.json`, the cue (cue.ts), and the request as any other holder
 * is told it, without what is in the cue, as a line.
 *   0 "="   8 u32 length of meta.json   12 u32 of the cue   16 u32 of the rest   20 struct winsize, zeroes on pipes   32 id, ends with a zero
 *
 * Nothing is begun before all of it is there: a holder that had begun a session and was told no more would have to leave it.
 */
import { bytesOf, textOf } from "./bytes.ts";
import type { StartRequest } from "./start-request.ts";

const EQUALS = 0x3d;
const HEAD_BYTES = 168;
const AT = { meta: 8, cue: 12, rest: 16, rows: 20, cols: 22, id: 32 } as const;

export interface PreparedStart {
  id: string;
  /** Null: on pipes. */
  size: { cols: number; rows: number } | null;
  meta: Uint8Array;
  cue: Uint8Array;
}

/** What is not known by then. */
export type RestOfRequest = Omit<StartRequest, "argv" | "env">;

export function preparedMessage({ id, size, meta, cue }: PreparedStart, request: StartRequest): Uint8Array {
  const rest = bytesOf(`${JSON.stringify({ ...request, argv: undefined, env: undefined })}\n`);
  const message = new Uint8Array(HEAD_BYTES + meta.length + cue.length + rest.length);
  const head = new DataView(message.buffer);
  message[0] = EQUALS;
  head.setUint32(AT.meta, meta.length, true);
  head.setUint32(AT.cue, cue.length, true);
  head.setUint32(AT.rest, rest.length, true);
  if (size !== null) {
    head.setUint16(AT.rows, size.rows, true);
    head.setUint16(AT.cols, size.cols, true);
  }
  message.set(bytesOf(id), AT.id);
  message.set(meta, HEAD_BYTES);
  message.set(cue, HEAD_BYTES + meta.length);
  message.set(rest, HEAD_BYTES + meta.length + cue.length);
  return message;
}

export function isPrepared(message: Uint8Array): boolean {
  return message[0] === EQUALS;
}

/** With the rest, a line. Null while there is more to come. */
export function preparedFrom(message: Uint8Array): { prepared: PreparedStart; rest: Uint8Array } | null {
  if (message.length < HEAD_BYTES) return null;
  const head = new DataView(message.buffer, message.byteOffset, HEAD_BYTES);
  const cueAt = HEAD_BYTES + head.getUint32(AT.meta, true);
  const restAt = cueAt + head.getUint32(AT.cue, true);
  const end = restAt + head.getUint32(AT.rest, true);
  if (message.length < end) return null;
  const cols = head.getUint16(AT.cols, true);
  const prepared = {
    id: textOf(message.subarray(AT.id, message.indexOf(0, AT.id))),
    size: cols === 0 ? null : { cols, rows: head.getUint16(AT.rows, true) },
    meta: message.subarray(HEAD_BYTES, cueAt),
    cue: message.subarray(cueAt, restAt),
  };
  return { prepared, rest: message.subarray(restAt, end) };
}
