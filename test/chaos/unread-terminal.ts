/** A terminal whose person looks away: nothing is read from it until somebody asks. */
import { closeSync, readSync } from "node:fs";
import { setNonBlocking } from "../../src/platform/fs/descriptors.ts";
import { openPseudoTerminal } from "../../src/platform/tty/terminal-device.ts";
import { errnoOf } from "../../src/protocol/types/errors.ts";

export class UnreadTerminal implements Disposable {
  readonly #master: number;
  readonly slave: number;

  constructor() {
    const { master, slave } = openPseudoTerminal();
    this.#master = master;
    this.slave = slave;
    setNonBlocking(master);
  }

  /** What has come so far. */
  read(): Buffer {
    const parts: Buffer[] = [];
    for (;;) {
      const block = Buffer.alloc(64 * 1024);
      try {
        parts.push(block.subarray(0, readSync(this.#master, block)));
      } catch (error) {
        if (errnoOf(error) === "EAGAIN") return Buffer.concat(parts);
        throw error;
      }
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.slave);
    closeSync(this.#master);
  }
}
