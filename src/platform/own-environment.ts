/**
 * The environment of a holder or a daemon that we start: ours, and how the runtime in it is to be, which takes no other word on that. It is their own; a command's
 * comes with its request.
 *
 * A holder has a heap of a megabyte, and there are hundreds of them; the daemon's is of a few. The runtime is made for programs that allocate without end: it keeps 32 blocks of
 * its heap ready, half a megabyte in a holder that once was busy for a moment, and has a thread that marks beside us, one that collects while we run, and one that gives memory
 * back. Each of these threads costs a holder about 50 KB for as long as it lives, there is next to nothing for it to do, and on a machine of few processors it does
 * that when a start is under way.
 */
import { environmentWithout } from "./raw-arguments.ts";
import { bytesOf } from "../protocol/bytes.ts";

const RUNTIME = {
  BUN_JSC_useWarmUpMarkedBlocks: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  MIMALLOC_SCAVENGER: "0",
} as const;

/** With these variables as they are said here. Neither is of the session that it was started from. */
export function ownEnvironment(said: Readonly<Record<string, string>> = {}): Uint8Array[] {
  const own = Object.entries({ ...said, ...RUNTIME });
  const kept = environmentWithout("HOLT_SESSION_ID", ...own.map(([key]) => key));
  return [...kept, ...own.map(([key, value]) => bytesOf(`${key}=${value}`))];
}
