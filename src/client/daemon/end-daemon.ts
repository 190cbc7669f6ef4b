/** Ends a daemon that is stopped or hangs. Sessions keep running, because their holders do. */
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openIfThere, readdirSync, readFileSync, readlinkSync } from "../../platform/fs/libc-fs.ts";
import { isLocked } from "../../platform/fs/lock.ts";
import { identityOf, isSame } from "../../platform/process/processes.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { ProcessIdentity } from "../../protocol/types/session.ts";
import { daemonLockPath, type Layout } from "../../transcript/layout.ts";

/** Enough for SIGTERM, unless the daemon is stopped. */
const GRACE_MS = 1000;
const KILL_MS = 5000;
const POLL_MS = 10;

/**
 * The process that holds the daemon lock. Null if the lock is free, or if the process with the pid
 * in it does not have it open: the pid was reused.
 */
export function daemonProcess(layout: Layout): ProcessIdentity | null {
  const path = daemonLockPath(layout);
  let lock: number | null = null;
  try {
    lock = openIfThere(path, fileConstants.O_RDONLY);
    if (lock === null || !isLocked(lock)) return null;
    const pid = Number(textOf(readFileSync(path)));
    const name = readlinkSync(`/proc/self/fd/${lock}`);
    return pid > 1 && hasOpen(pid, name) ? identityOf(pid) : null;
  } catch {
    return null; // the daemon is just ending, or there is no state directory
  } finally {
    if (lock !== null) closeQuietly(lock);
  }
}

export async function endDaemon(daemon: ProcessIdentity): Promise<void> {
  if (await endedBySignal(daemon, "SIGTERM", GRACE_MS)) return;
  if (await endedBySignal(daemon, "SIGKILL", KILL_MS)) return;
  throw new HoltError("ETIMEOUT", `the daemon does not end: pid ${daemon.pid}`, {
    hint: "it may wait for a disk that does not answer",
  });
}

/** True if the process ended. */
async function endedBySignal(daemon: ProcessIdentity, signal: NodeJS.Signals, ms: number): Promise<boolean> {
  if (isSame(daemon)) process.kill(daemon.pid, signal);
  for (const until = performance.now() + ms; performance.now() < until; await Bun.sleep(POLL_MS))
    if (!isSame(daemon)) return true;
  return !isSame(daemon);
}

function hasOpen(pid: number, name: string): boolean {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).some((fd) => {
    try {
      return readlinkSync(`${directory}/${fd}`) === name;
    } catch {
      return false; // closed in the meantime
    }
  });
}
