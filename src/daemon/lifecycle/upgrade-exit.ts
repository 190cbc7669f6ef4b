/**
 * A daemon whose executable was replaced goes on with the old code, and starts holders of the new one; one whose executable was removed can start none at all. It makes room as soon
 * as nobody is connected to it: for one of the new file, where there is one.
 */
import { spawnDaemon } from "../../client/daemon/spawn-daemon.ts";
import { executableState } from "../../platform/process/own-executable.ts";
import type { Household } from "../daemon-context.ts";

export function retireIfReplaced(household: Household): void {
  if (household.clients > 0) return;
  const state = executableState();
  if (state === "current") return;
  try {
    if (state === "replaced") spawnDaemon(household.sessions.layout); // it waits for our lock
  } catch (error) {
    household.log.write("warn", "the new executable cannot be started", { error: String(error) });
    return; // half of it is there, perhaps: the next look tells
  }
  household.log.write("info", `the executable was ${state}`, { pid: process.pid });
  household.shutDown();
}
