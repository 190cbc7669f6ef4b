/**
 * A start of which nothing is left to be worked out: what a warm holder writes to disk, and what it tells the process that waits to be the command, byte for byte. The
 * command runs before the holder has so much as read what it is (docs/adr/0028).
 *
 *   =ID COLS ROWS META CUE REQUEST\n    the id, the size of its terminal, 0 and 0 on pipes, and how many bytes each of these has, which follow: `meta.json`,
 *                                       the cue (cue.ts), and the request as any other holder is told it
 */
import { bytesOf, joined, textOf } from "./bytes.ts";

const EQUALS = 0x3d;
const NEWLINE = 10;
const NO_SIZE = { cols: 0, rows: 0 };

export interface PreparedStart {
  id: string;
  /** Null: on pipes. */
  size: { cols: number; rows: number } | null;
  meta: Uint8Array;
  cue: Uint8Array;
  /** One line of JSON. */
  request: Uint8Array;
}

export function preparedMessage({ id, size, meta, cue, request }: PreparedStart): Uint8Array {
  const { cols, rows } = size ?? NO_SIZE;
  const head = bytesOf(`=${id} ${cols} ${rows} ${meta.length} ${cue.length} ${request.length}\n`);
  return joined([head, meta, cue, request]);
}

export function isPrepared(message: Uint8Array): boolean {
  return message[0] === EQUALS;
}

/** Null while there is more to come. */
export function preparedFrom(message: Uint8Array): PreparedStart | null {
  const end = message.indexOf(NEWLINE);
  if (end < 0) return null;
  const [id = "", cols, rows, meta, cue, request] = textOf(message.subarray(1, end)).split(" ");
  const cueAt = end + 1 + Number(meta);
  const requestAt = cueAt + Number(cue);
  const length = requestAt + Number(request);
  if (message.length < length) return null;
  return {
    id,
    size: cols === "0" ? null : { cols: Number(cols), rows: Number(rows) },
    meta: message.subarray(end + 1, cueAt),
    cue: message.subarray(cueAt, requestAt),
    request: message.subarray(requestAt, length),
  };
}
