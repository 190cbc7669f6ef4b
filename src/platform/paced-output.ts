/**
 * Writes to the person's own stdout or stderr without ever blocking the loop. Their pace is the command's pace: the owner
 * pauses the command while `pending` is over the mark and goes on when `drained` is called.
 *
 * The descriptor is shared with whoever started us, and so is its O_NONBLOCK: setting it would make their `cat` fail. Opening it
 * once more through /proc gives us a flag of our own. What cannot be opened again (a socket) is asked with poll(2) before each
 * small write instead.
 */
import { fileConstants } from "./constants.ts";
import { openSync } from "./fs.ts";
import { lastErrno, libc } from "./libc.ts";
import { closeQuietly } from "./descriptors.ts";
import { fileStat, kindOf } from "./stat.ts";
import { POLLOUT, pollNow, poller, type Watch } from "./poller.ts";

export const PAUSE_ABOVE = 256 * 1024;
const SMALL_WRITE = 1024;
const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = fileConstants;

export interface PacedOutputEvents {
  drained(): void;
  /** Nobody reads any more (EPIPE), or the terminal is gone (EIO). */
  closed(errno: string): void;
}

export class PacedOutput {
  readonly #fd: number;
  readonly #owned: boolean;
  /** At most this much at once: more could block where the descriptor does. */
  readonly #limit: number;
  readonly #watch: Watch;
  readonly #events: PacedOutputEvents;
  readonly #queue: Uint8Array[] = [];
  #pending = 0;
  #closed = false;

  constructor(fd: number, events: PacedOutputEvents) {
    const reopened = reopen(fd);
    this.#fd = reopened ?? fd;
    this.#owned = reopened !== null;
    this.#limit = reopened !== null || isFile(fd) ? Number.POSITIVE_INFINITY : SMALL_WRITE;
    this.#events = events;
    this.#watch = poller().watch(this.#fd, 0, () => this.#flush());
  }

  get pending(): number {
    return this.#pending;
  }

  /** `bytes` are lent: what cannot go out at once is copied. */
  write(bytes: Uint8Array): void {
    if (this.#closed) return;
    const rest = this.#queue.length === 0 ? this.#send(bytes) : bytes;
    if (rest.length === 0 || this.#closed) return;
    this.#queue.push(rest.slice());
    this.#pending += rest.length;
    this.#watch.want(POLLOUT);
  }

  /** Resolves when everything has gone out, or can no longer go. */
  async flushed(): Promise<void> {
    while (this.#pending > 0 && !this.#closed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
  readonly #waiting: (() => void)[] = [];

  #flush(): void {
    for (let head = this.#queue[0]; head !== undefined && !this.#closed; head = this.#queue[0]) {
      const rest = this.#send(head);
      this.#pending -= head.length - rest.length;
      if (rest.length > 0) {
        this.#queue[0] = rest;
        return;
      }
      this.#queue.shift();
    }
    this.#watch.want(0);
    this.#settle();
    if (!this.#closed) this.#events.drained();
  }

  /** What did not fit. */
  #send(bytes: Uint8Array): Uint8Array {
    let at = 0;
    while (at < bytes.length) {
      if (this.#limit === SMALL_WRITE && pollNow(this.#fd, POLLOUT) === 0) break;
      const length = Math.min(bytes.length - at, this.#limit);
      const written = Number(libc().write(this.#fd, bytes.subarray(at, at + length), BigInt(length)));
      if (written >= 0) {
        at += written;
        continue;
      }
      const errno = lastErrno();
      if (errno === "EINTR") continue;
      if (errno !== "EAGAIN") this.#fail(errno);
      break;
    }
    return bytes.subarray(at);
  }

  #fail(errno: string): void {
    this.close();
    this.#events.closed(errno);
  }

  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.length = 0;
    this.#pending = 0;
    this.#watch.stop();
    if (this.#owned) closeQuietly(this.#fd);
    this.#settle();
  }
}

function reopen(fd: number): number | null {
  if (isFile(fd)) return null; // it never blocks for long, and a second opening would have an offset of its own
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return null;
  }
}

function isFile(fd: number): boolean {
  try {
    const kind = kindOf(fileStat(fd));
    return kind === "file" || kind === "block_device";
  } catch {
    return false;
  }
}
