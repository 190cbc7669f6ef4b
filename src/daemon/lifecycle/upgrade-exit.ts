/**
 * Ends a daemon whose executable was replaced or removed, once no client is connected.
 *
 * It would go on with old code and start holders of the new one, or none at all. After a
 * replacement it starts a daemon from the new file first.
 */
import { spawnDaemon } from "../../client/daemon/spawn-daemon.ts";
import { executableState } from "../../platform/process/own-executable.ts";
import type { DaemonContext } from "../daemon-context.ts";

export function exitIfReplaced(daemon: DaemonContext): void {
  if (daemon.clients > 0) return;
  const state = executableState();
  if (state === "current") return;
  try {
    if (state === "replaced") spawnDaemon(daemon.sessions.layout); // the new daemon waits for the lock
  } catch (error) {
    daemon.log.write("warn", "the new executable cannot be started", { error: String(error) });
    return; // the file may be half written: the next check retries
  }
  daemon.log.write("info", `the executable was ${state}`, { pid: process.pid });
  daemon.shutDown();
}
