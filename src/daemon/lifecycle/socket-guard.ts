/**
 * Checks every minute, and on SIGUSR1 from a client that cannot connect, that the daemon still has
 * its lock and its socket's name.
 *
 * Without the lock the daemon ends: no new client can reach it, and another daemon may serve the
 * same sessions. The sessions live on under their holders.
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

  check(): void {
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
