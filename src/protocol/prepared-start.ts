/**
 * A start of which nothing is left to be worked out: what a warm holder writes to disk, and what it tells the process that waits to be the command, byte for byte. The
 * command runs before the holder has so much as read what it is (docs/adr/0028).
 *
 *   =ID COLS ROWS META CUE REST\n    the id, the size of its terminal, 0 and 0 on pipes, and how many bytes each of these has, which follow: `meta.json`, the cue (cue.ts), and
 *                                    the request, as any other holder is told it, without what is in the cue
 *
 * Nothing is begun before all of it is there: a holder that had begun a session and was told no more would have to leave it.
 */
import { bytesOf, joined, textOf } from "./bytes.ts";
import type { StartRequest } from "./start-request.ts";

const EQUALS = 0x3d;
const NEWLINE = 10;
const NO_SIZE = { cols: 0, rows: 0 };

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
  const { cols, rows } = size ?? NO_SIZE;
  const rest = bytesOf(`${JSON.stringify({ ...request, argv: undefined, env: undefined })}\n`);
  const head = bytesOf(`=${id} ${cols} ${rows} ${meta.length} ${cue.length} ${rest.length}\n`);
  return joined([head, meta, cue, rest]);
}

export function isPrepared(message: Uint8Array): boolean {
  return message[0] === EQUALS;
}

/** With the rest, a line. Null while there is more to come. */
export function preparedFrom(message: Uint8Array): { prepared: PreparedStart; rest: Uint8Array } | null {
  const end = message.indexOf(NEWLINE);
  if (end < 0) return null;
  const [id = "", cols, rows, meta, cue, rest] = textOf(message.subarray(1, end)).split(" ");
  const cueAt = end + 1 + Number(meta);
  const restAt = cueAt + Number(cue);
  if (message.length < restAt + Number(rest)) return null;
  const prepared = {
    id,
    size: cols === "0" ? null : { cols: Number(cols), rows: Number(rows) },
    meta: message.subarray(end + 1, cueAt),
    cue: message.subarray(cueAt, restAt),
  };
  return { prepared, rest: message.subarray(restAt) };
}
