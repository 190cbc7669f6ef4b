/**
 * The lock that allows one daemon per state directory.
 *
 * It is held from before the old socket name is removed until the process ends, so two daemons that
 * start at once cannot remove each other's name. A daemon that finds the lock held and the socket
 * accepting exits. If nothing accepts, the holder of the lock is ending or starting, or its
 * socket's name was removed: it is then sent SIGUSR1, and binds the name again. A lock whose file
 * was removed or replaced no longer counts.
 */
import { signalDaemonToRebind, REBIND_AFTER_MS } from "../../client/daemon/rebind-signal.ts";
import { dialDaemonSocket } from "../../client/daemon/daemon-socket.ts";
import { daemonProcess } from "../../client/daemon/end-daemon.ts";
import { fileConstants } from "../../platform/native/constants.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { withPrivateUmask } from "../../platform/fs/files.ts";
import { ftruncateSync, openSync, writeSync } from "../../platform/fs/libc-fs.ts";
import { tryLockExclusive } from "../../platform/fs/lock.ts";
import { entryStat, fileStat, isSameFile } from "../../platform/fs/stat.ts";
import { isUnsafePathError } from "../../protocol/wire/unsafe-path.ts";
import { daemonLockPath, type Layout } from "../../transcript/layout.ts";

const MAX_WAIT_MS = 1500;
const RETRY_MS = 10;

export class DaemonLock {
  /** Never closed, so no other file can get its inode while the process lives. */
  readonly #lock: number;
  readonly #path: string;

  private constructor(lock: number, path: string) {
    this.#lock = lock;
    this.#path = path;
  }

  /** Null if another daemon holds it. */
  static async acquire(layout: Layout): Promise<DaemonLock | null> {
    const path = daemonLockPath(layout);
    const began = performance.now();
    let isSignaled = false;
    for (let lock = openLock(path); ; await Bun.sleep(RETRY_MS)) {
      if (!isFileAt(lock, path)) {
        closeQuietly(lock);
        lock = openLock(path);
      }
      if (tryLockExclusive(lock) && isFileAt(lock, path)) {
        writePid(lock);
        return new DaemonLock(lock, path);
      }
      const waited = performance.now() - began;
      if (waited > MAX_WAIT_MS || isAccepting(layout)) return null;
      if (isSignaled || waited < REBIND_AFTER_MS) continue;
      isSignaled = true;
      const daemon = daemonProcess(layout);
      if (daemon !== null) signalDaemonToRebind(daemon);
    }
  }

  /** False if its file was removed or replaced. */
  get isOurs(): boolean {
    try {
      return isFileAt(this.#lock, this.#path);
    } catch {
      return true; // the file cannot be checked: no reason to end
    }
  }
}

function openLock(path: string): number {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = fileConstants;
  return withPrivateUmask(() => openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
}

function isFileAt(lock: number, path: string): boolean {
  return isSameFile(fileStat(lock), entryStat(path));
}

/** Overwriting the block before truncating works on a full disk. */
function writePid(lock: number): void {
  const line = `${process.pid}\n`;
  writeSync(lock, line, 0);
  ftruncateSync(lock, line.length);
}

function isAccepting(layout: Layout): boolean {
  try {
    const fd = dialDaemonSocket(layout);
    if (fd !== null) closeQuietly(fd);
    return fd !== null;
  } catch (error) {
    if (isUnsafePathError(error)) throw error;
    return true; // the backlog is full, so a daemon listens
  }
}
