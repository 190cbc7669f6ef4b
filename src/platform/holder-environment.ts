/**
 * The environment of a holder that we start: ours, and how the runtime in it is to be, which takes no other word on that. It is the holder's own; its command's
 * comes with the request.
 *
 * A holder has a heap of a megabyte, and there are hundreds of them. The runtime is made for programs that allocate without end: it keeps 32 blocks of its heap ready, half a
 * megabyte in a holder that once was busy for a moment, and has a thread that marks beside us, one that collects while we run, and one that gives memory back. Each of these
 * threads costs a holder about 50 KB for as long as it lives, and there is next to nothing for it to do.
 */
import { environmentWithout } from "./raw-arguments.ts";
import { bytesOf } from "../protocol/bytes.ts";

const RUNTIME = {
  BUN_JSC_useWarmUpMarkedBlocks: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  MIMALLOC_SCAVENGER: "0",
} as const;

/** With these variables as they are said here. A holder is not of the session that it was started from. */
export function holderEnvironment(said: Readonly<Record<string, string>> = {}): Uint8Array[] {
  const own = Object.entries({ ...said, ...RUNTIME });
  const kept = environmentWithout("HOLT_SESSION_ID", ...own.map(([key]) => key));
  return [...kept, ...own.map(([key, value]) => bytesOf(`${key}=${value}`))];
}
