import { hasJobControl } from "./processes.ts";
import { send, signalNumber } from "./signals.ts";
import { inForeground } from "./terminal-device.ts";

const STDIN = 0;
const OWN_GROUP = 0;
const SIGTTIN = signalNumber("SIGTTIN");

/**
 * Comes back when the terminal is ours: a job in the background that wants it is stopped until somebody brings it to the front, as the kernel stops whoever reads it there.
 * Where no shell could do that, at once.
 */
export function waitInBackground(): void {
  while (!inForeground(STDIN) && hasJobControl()) send(OWN_GROUP, SIGTTIN);
}
