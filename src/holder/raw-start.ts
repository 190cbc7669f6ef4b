import { safeStart } from "../terminal/safe-start.ts";
import type { LiveSource } from "./live-source.ts";

/** Where the last bytes of the transcript begin, for a client that wants to see those again. */
export function rawStart(source: LiveSource, maxBytes: number): number {
  const from = Math.max(0, source.produced - maxBytes);
  return safeStart(source.pieces(from), from);
}
