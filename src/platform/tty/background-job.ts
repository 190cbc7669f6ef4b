/**
 * A job in the background that wants the terminal is stopped until somebody brings it to the front, as the kernel stops whoever reads it there. Not where no shell could do that, nor
 * where whoever started us has said that nothing is stopped so.
 */
import { hasJobControl } from "../process/processes.ts";
import { isIgnoredSignal } from "../process/signal-action.ts";
import { send, signalNumber } from "../process/signals.ts";
import { inForeground } from "./terminal-device.ts";

const STDIN = 0;
const OWN_GROUP = 0;
const SIGTTIN = signalNumber("SIGTTIN");

export function isBackgroundJob(): boolean {
  return !inForeground(STDIN) && hasJobControl() && !isIgnoredSignal(SIGTTIN);
}

/** Until a shell continues it, wherever it is then. */
export function stopUntilForeground(): void {
  send(OWN_GROUP, SIGTTIN);
}
