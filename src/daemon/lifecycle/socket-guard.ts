/**
 * Whether this daemon is still the one of its state directory, and can be found. It looks every minute, and when somebody who cannot find it says so (SIGUSR1).
 *
 * Without its lock it goes: nobody new can reach it, and another may serve the same sessions. Those live on under their holders.
 */
import type { Log } from "../../platform/log/log.ts";
import type { DaemonLock } from "./daemon-lock.ts";
import type { OwnSocket } from "./own-socket.ts";

export interface SocketGuardParts {
  lock: DaemonLock;
  socket: OwnSocket;
  log: Log;
  shutDown: () => void;
}

export class SocketGuard {
  readonly #parts: SocketGuardParts;

  constructor(parts: SocketGuardParts) {
    this.#parts = parts;
  }

  look(): void {
    const { lock, socket, log, shutDown } = this.#parts;
    if (!lock.isOurs) {
      log.write("warn", "the daemon's lock was removed: it ends", { pid: process.pid });
      shutDown();
    } else if (socket.isMissing) this.#bindAgain();
  }

  #bindAgain(): void {
    const { socket, log } = this.#parts;
    try {
      socket.bindAgain();
      log.write("warn", "the daemon's socket was removed: it is there again", { pid: process.pid });
    } catch (error) {
      log.write("error", "the daemon's socket was removed, and cannot be bound again", { error: String(error) });
    }
  }
}
