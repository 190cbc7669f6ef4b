/** Lets other work run during a long computation. */
import { HoltError } from "../../../protocol/types/errors.ts";
import type { YieldToLoop } from "./page.ts";

/** The longest time without a yield. */
const TURN_MS = 4;

/** Yields to the event loop every TURN_MS; ECANCELED after the signal fires. */
export function loopYielder(signal: AbortSignal): YieldToLoop {
  let nextTurn = performance.now() + TURN_MS;
  return async () => {
    if (signal.aborted) throw new HoltError("ECANCELED", "the call was canceled");
    if (performance.now() < nextTurn) return;
    await Bun.sleep(0);
    nextTurn = performance.now() + TURN_MS;
  };
}
