/**
 * SIGUSR1 for a daemon that holds its lock while its socket's name is missing (removed by hand or
 * by a cleanup job): the daemon binds its socket again. An old version that does not handle the
 * signal ends, so that a new daemon can start; sessions keep running.
 */
import { readFileSync } from "../../platform/fs/libc-fs.ts";
import { isSame } from "../../platform/process/processes.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { DAEMON_COMMAND } from "../../protocol/wire/start-request.ts";

/** Time that a daemon with a lock and no listener gets first: it may be starting or ending. */
export const REBIND_AFTER_MS = 250;

/** Checks the process first: SIGUSR1 would end any other one that holds the lock. */
export function signalDaemonToRebind(daemon: ProcessIdentity): void {
  try {
    if (isDaemon(daemon.pid) && isSame(daemon)) process.kill(daemon.pid, "SIGUSR1");
  } catch {
    // it has ended
  }
}

function isDaemon(pid: number): boolean {
  const words = textOf(readFileSync(`/proc/${pid}/cmdline`)).split("\0");
  return words.includes(DAEMON_COMMAND) || (words.includes("daemon") && words.includes("--foreground"));
}
