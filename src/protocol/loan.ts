/**
 * The loan of a person's terminal, on a holder's socket (attach.ts): a client that types may lend the holder its terminal for
 * the echo of what it sends, so that a key's echo need not come back through the client.
 *
 *   ATTACH names the descriptor of the client's process that is its terminal; REPLAY says whether the holder could open it
 *   LENT_INPUT, instead of INPUT: u32 how many frames with something to show the client has shown | bytes, as typed
 *   RETURNED: u32 how many LENT_INPUTs were taken | u64 next cursor; all before it has been shown | u32 the thread that takes them, or 0
 *
 * RETURNED comes a while after what it answers, for all that came in between; at once after a LENT_INPUT without bytes. The terminal is the holder's from
 * LENT_INPUT to RETURNED, and only if the count says that nothing it was sent before is still on its
 * way to it. All else goes through the client, as always.
 */
import { ATTACH_FRAME } from "./attach.ts";

/** Length and type. */
const HEADER_BYTES = 5;
const COUNT_BYTES = 4;
const CURSOR_BYTES = 8;
const THREAD_BYTES = 4;
/** Counts go around. */
const COUNTS = 2 ** 32;
/** Of what was shown: nothing is lent. */
export const NOT_LENT = COUNTS - 1;

export function nextCount(count: number): number {
  return (count + 1) % NOT_LENT;
}

export function encodeLentInput(shown: number, bytes: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + COUNT_BYTES + bytes.length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 1 + COUNT_BYTES + bytes.length, true);
  frame[4] = ATTACH_FRAME.lentInput;
  view.setUint32(HEADER_BYTES, shown, true);
  frame.set(bytes, HEADER_BYTES + COUNT_BYTES);
  return frame;
}

/** Null when it is no LENT_INPUT payload. */
export function decodeLentInput(payload: Uint8Array): { shown: number; bytes: Uint8Array } | null {
  if (payload.length < COUNT_BYTES) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  return { shown: view.getUint32(0, true), bytes: payload.subarray(COUNT_BYTES) };
}

export interface Returned {
  taken: number;
  next: number;
  /** As the holder's kernel calls it; 0 where there is none. */
  thread: number;
}

export function encodeReturned({ taken, next, thread }: Returned): Uint8Array {
  const length = COUNT_BYTES + CURSOR_BYTES + THREAD_BYTES;
  const frame = new Uint8Array(HEADER_BYTES + length);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 1 + length, true);
  frame[4] = ATTACH_FRAME.returned;
  view.setUint32(HEADER_BYTES, taken, true);
  view.setBigUint64(HEADER_BYTES + COUNT_BYTES, BigInt(next), true);
  view.setUint32(HEADER_BYTES + COUNT_BYTES + CURSOR_BYTES, thread, true);
  return frame;
}

/** Null when it is no RETURNED payload. An older holder names no thread. */
export function decodeReturned(payload: Uint8Array): Returned | null {
  if (payload.length < COUNT_BYTES + CURSOR_BYTES) return null;
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const hasThread = payload.length >= COUNT_BYTES + CURSOR_BYTES + THREAD_BYTES;
  return {
    taken: view.getUint32(0, true),
    next: Number(view.getBigUint64(COUNT_BYTES, true)),
    thread: hasThread ? view.getUint32(COUNT_BYTES + CURSOR_BYTES, true) : 0,
  };
}
