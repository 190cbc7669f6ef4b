/**
 * A daemon that holds its lock and cannot be found: its socket's name was removed, by somebody's cleaner, or by hand. It is told so (SIGUSR1, as holders are), and
 * binds it again. One of a version that does not know the signal dies of it, which is as good: no session notices, and a new one can come up.
 */
import { readFileSync } from "../../platform/fs/libc-fs.ts";
import { isSame } from "../../platform/process/processes.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { DAEMON_COMMAND } from "../../protocol/wire/start-request.ts";

/** One that has the lock and does not listen may be just coming up, or just ending: it is left alone for that long. */
export const REBIND_AFTER_MS = 250;

/** Whatever else may hold the lock is not told: it would die of it. */
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
