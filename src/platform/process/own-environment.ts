/**
 * The environment of a holder or daemon: the variables that the system and holt need, and settings
 * for the runtime. A command's environment comes with its request instead. Holders and daemons
 * serve later callers too, so a secret of the first caller must not stay in their
 * /proc/PID/environ.
 */
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";
import { inheritedEnvironment } from "./raw-arguments.ts";
import { isSystemVariable } from "./system-variables.ts";

/**
 * A holder's heap is 1 MB, and there are hundreds of holders. The runtime's defaults suit large
 * programs: 32 free heap blocks kept ready (0.5 MB in a holder after one busy moment), and threads
 * that mark, collect and return memory (50 KB each, and in the way of a start on few processors).
 * These variables are the runtime's only switches for them.
 */
const RUNTIME = {
  BUN_JSC_useWarmUpMarkedBlocks: "0",
  BUN_JSC_numberOfGCMarkers: "1",
  BUN_JSC_useConcurrentGC: "0",
  MIMALLOC_SCAVENGER: "0",
} as const;

/** LD_*: the child is the same executable and must load the same way. */
const HOLT_NEEDS = /^(?:HOLT_|XDG_|LD_(?:LIBRARY_PATH|PRELOAD)$)/;
/** Variables of the session in which this process was started; they must not leak into another. */
const SESSION_VARIABLES = /^HOLT_(?:SESSION_ID$|CHANNEL_)/;
const EQUALS = 0x3d;

/** `given` overrides inherited variables; RUNTIME overrides both. */
export function ownEnvironment(given: Readonly<Record<string, string>> = {}): Uint8Array[] {
  const own = { ...given, ...RUNTIME };
  const kept = inheritedEnvironment().filter((entry) => {
    const name = textOf(entry.subarray(0, entry.indexOf(EQUALS, 1)));
    return (
      (isSystemVariable(name) || HOLT_NEEDS.test(name)) && !SESSION_VARIABLES.test(name) && !Object.hasOwn(own, name)
    );
  });
  return [...kept, ...Object.entries(own).map(([key, value]) => bytesOf(`${key}=${value}`))];
}
