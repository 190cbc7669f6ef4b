/**
 * The environment of a holder that we start: ours, and how the runtime in it is to be. It is the holder's own; its command's comes with the
 * request.
 *
 * The runtime keeps 32 blocks of its heap ready for a program that allocates without end: half a megabyte, in a holder that once was busy for a
 * moment. It takes no other word on that than the environment's.
 */
import { environmentWithout } from "./raw-arguments.ts";
import { bytesOf } from "../protocol/bytes.ts";

const BLOCKS_AHEAD = "BUN_JSC_useWarmUpMarkedBlocks";

/** With these variables as they are said here. A holder is not of the session that it was started from. */
export function holderEnvironment(said: Readonly<Record<string, string>> = {}): Uint8Array[] {
  const own = Object.entries({ ...said, [BLOCKS_AHEAD]: "0" });
  const kept = environmentWithout("HOLT_SESSION_ID", ...own.map(([key]) => key));
  return [...kept, ...own.map(([key, value]) => bytesOf(`${key}=${value}`))];
}
