/**
 * Whether this daemon is still the one of its state directory, and can be found. It looks every minute, and when somebody who cannot find it says so (SIGUSR1).
 *
 * Without its claim it goes: nobody new can reach it, and another may serve the same sessions. Those live on under their holders.
 */
import type { Log } from "../../platform/log/log.ts";
import type { Claim } from "./daemon-lock.ts";
import type { OwnSocket } from "./own-socket.ts";

export interface StandingParts {
  claim: Claim;
  socket: OwnSocket;
  log: Log;
  shutDown: () => void;
}

export class Standing {
  readonly #parts: StandingParts;

  constructor(parts: StandingParts) {
    this.#parts = parts;
  }

  look(): void {
    const { claim, socket, log, shutDown } = this.#parts;
    if (!claim.isOurs) {
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
