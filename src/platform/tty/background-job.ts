/**
 * Stops this process while it is a background job that needs the terminal, as the kernel stops a
 * background read. Not without a job-control shell, nor where the caller ignores SIGTTIN.
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

/** Returns once a shell continues the job, in the foreground or not. */
export function stopUntilForeground(): void {
  send(OWN_GROUP, SIGTTIN);
}
