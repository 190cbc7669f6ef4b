/**
 * One daemon for each state directory: the lock is held from before the socket's old name is removed until the process ends, so that two
 * who start at once cannot take each other's name away. Who finds it held leaves, for there is a daemon already; where nobody listens, that
 * one is just ending, or just coming up, and a moment tells. Or its socket's name was removed: then it is told so, and binds it again.
 *
 * Whose lock has lost its name has lost its lock: another may have the name by now.
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

const ENDING_MS = 1500;
const LOOK_MS = 10;

export class DaemonLock {
  /** For as long as this process lives: it is never closed, so its inode is nobody else's. */
  readonly #lock: number;
  readonly #path: string;

  private constructor(lock: number, path: string) {
    this.#lock = lock;
    this.#path = path;
  }

  /** Null when it is another's. */
  static async make(layout: Layout): Promise<DaemonLock | null> {
    const path = daemonLockPath(layout);
    const began = performance.now();
    let isTold = false;
    for (let lock = openLock(path); ; await Bun.sleep(LOOK_MS)) {
      if (!isAt(lock, path)) {
        closeQuietly(lock);
        lock = openLock(path);
      }
      if (tryLockExclusive(lock) && isAt(lock, path)) {
        writePid(lock);
        return new DaemonLock(lock, path);
      }
      const waited = performance.now() - began;
      if (waited > ENDING_MS || somebodyListens(layout)) return null;
      if (isTold || waited < REBIND_AFTER_MS) continue;
      isTold = true;
      const daemon = daemonProcess(layout);
      if (daemon !== null) signalDaemonToRebind(daemon);
    }
  }

  /** False when its file was removed, or replaced. */
  get isOurs(): boolean {
    try {
      return isAt(this.#lock, this.#path);
    } catch {
      return true; // nobody can look: not a reason to go
    }
  }
}

function openLock(path: string): number {
  const { O_CREAT, O_NOFOLLOW, O_RDWR } = fileConstants;
  return withPrivateUmask(() => openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
}

function isAt(lock: number, path: string): boolean {
  return isSameFile(fileStat(lock), entryStat(path));
}

/** In this order the block of the one before is written over, which a full disk allows. */
function writePid(lock: number): void {
  const line = `${process.pid}\n`;
  writeSync(lock, line, 0);
  ftruncateSync(lock, line.length);
}

function somebodyListens(layout: Layout): boolean {
  try {
    const fd = dialDaemonSocket(layout);
    if (fd !== null) closeQuietly(fd);
    return fd !== null;
  } catch (error) {
    if (isUnsafePathError(error)) throw error;
    return true; // so many wait for it that no more may
  }
}
