/**
 * Another process's terminal, opened once more to write to: what it does not take at once is not waited for. It is opened
 * through /proc, which needs no more than to be of the same user, and has settings of its own: theirs is not made non-blocking.
 */
import { fileConstants } from "./constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { openSync } from "./fs.ts";
import { libc } from "./libc.ts";
import { isTerminal } from "./terminal-device.ts";

const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = fileConstants;

export class LentTerminal implements Disposable {
  readonly fd: number;
  #isOpen = true;

  private constructor(fd: number) {
    this.fd = fd;
  }

  /** Null when it cannot be had, or is none. */
  static open(pid: number, descriptor: number): LentTerminal | null {
    let fd: number;
    try {
      fd = openSync(`/proc/${pid}/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch {
      return null;
    }
    if (isTerminal(fd)) return new LentTerminal(fd);
    closeQuietly(fd);
    return null;
  }

  /** How much it took. */
  write(bytes: Uint8Array): number {
    return this.#isOpen ? Math.max(0, Number(libc().write(this.fd, bytes, bytes.length))) : 0;
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeQuietly(this.fd);
    this.#isOpen = false;
  }
}
