/**
 * A daemon whose executable was replaced goes on with the old code, and starts holders of the new one; one whose executable was removed can start none at all. It makes room as soon
 * as nobody is connected to it: for one of the new file, where there is one.
 */
import { spawnDaemon } from "../../client/daemon/spawn-daemon.ts";
import { executableState } from "../../platform/process/own-executable.ts";
import type { DaemonContext } from "../daemon-context.ts";

export function exitIfReplaced(daemon: DaemonContext): void {
  if (daemon.clients > 0) return;
  const state = executableState();
  if (state === "current") return;
  try {
    if (state === "replaced") spawnDaemon(daemon.sessions.layout); // it waits for our lock
  } catch (error) {
    daemon.log.write("warn", "the new executable cannot be started", { error: String(error) });
    return; // half of it is there, perhaps: the next look tells
  }
  daemon.log.write("info", `the executable was ${state}`, { pid: process.pid });
  daemon.shutDown();
}
