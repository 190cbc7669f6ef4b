/**
 * The environment of a holder or a daemon that we start: of ours what the system and holt itself need, and how the runtime in it is to be, which takes no other word on that.
 * It is their own; a command's comes with its request. They live on for other callers: a secret in the environment of the first would stand in /proc for as long.
 *
 * A holder has a heap of a megabyte, and there are hundreds of them; the daemon's is of a few. The runtime is made for programs that allocate without end: it keeps 32 blocks of
 * its heap ready, half a megabyte in a holder that once was busy for a moment, and has a thread that marks beside us, one that collects while we run, and one that gives memory
 * back. Each of these threads costs a holder about 50 KB for as long as it lives, there is next to nothing for it to do, and on a machine of few processors it does
 * that when a start is under way.
 */
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { inheritedEnvironment } from "./raw-arguments.ts";
import { isSystemVariable } from "./system-variables.ts";

const RUNTIME = {
  BUN_JSC_useWarmUpMarkedBlocks: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  MIMALLOC_SCAVENGER: "0",
} as const;

/** LD_*: it is the same executable, and loaded in the same way. */
const OWN = /^(?:HOLT_|XDG_|LD_(?:LIBRARY_PATH|PRELOAD)$)/;
/** Variables of the session that this process was started in. */
const OF_SESSION = /^HOLT_(?:SESSION_ID$|CHANNEL_)/;
const EQUALS = 0x3d;

/** With these variables as they are given here. */
export function ownEnvironment(given: Readonly<Record<string, string>> = {}): Uint8Array[] {
  const own = { ...given, ...RUNTIME };
  const kept = inheritedEnvironment().filter((entry) => {
    const name = textOf(entry.subarray(0, entry.indexOf(EQUALS, 1)));
    return (isSystemVariable(name) || OWN.test(name)) && !OF_SESSION.test(name) && !Object.hasOwn(own, name);
  });
  return [...kept, ...Object.entries(own).map(([key, value]) => bytesOf(`${key}=${value}`))];
}
