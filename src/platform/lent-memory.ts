/**
 * 64 KiB outside the collector's reach, for whoever needs a buffer in this moment and for no longer: what a holder is told lies here, and then what its command prints. Mapped, so
 * that a session that prints little does not keep the whole of it in memory.
 */
import { type Pointer, toArrayBuffer } from "bun:ffi";
import { mapMemory } from "./machine-code.ts";

export const LENT_BYTES = 64 * 1024;

export interface LentMemory {
  at: Pointer;
  bytes: Uint8Array;
}

let lent: LentMemory | null = null;

export function lentMemory(): LentMemory {
  if (lent !== null) return lent;
  const at = mapMemory(LENT_BYTES);
  lent = { at, bytes: new Uint8Array(toArrayBuffer(at, 0, LENT_BYTES)) };
  return lent;
}
