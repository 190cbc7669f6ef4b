/**
 * Writes to the person's own stdout or stderr without ever blocking the loop. Their pace is the command's pace: the owner
 * pauses the command while `pending` is over the mark and goes on when `drained` is called.
 *
 * The descriptor is shared with whoever started us, and so is its O_NONBLOCK: setting it would make their `cat` fail. Opening it
 * once more through /proc gives us a flag of our own. What cannot be opened again (a socket) is asked with poll(2) before each
 * small write instead.
 */
import { fileConstants } from "../native/constants.ts";
import { openSync } from "../fs/libc-fs.ts";
import { lastErrno, libc } from "../native/libc.ts";
import { closeQuietly } from "../fs/descriptors.ts";
import { fileStat, kindOf } from "../fs/stat.ts";
import { POLLOUT, pollNow, poller, type Watch } from "../native/poller.ts";
import { WriteQueue } from "../sockets/write-queue.ts";

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
  readonly #unsent = new WriteQueue((bytes) => this.#send(bytes));
  #failure: string | null = null;
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
    return this.#unsent.length;
  }

  /** `bytes` are lent: what cannot go out at once is copied. */
  write(bytes: Uint8Array): void {
    if (this.#closed || this.#unsent.send(bytes, "lent")) return;
    if (this.#failure !== null) this.#fail(this.#failure);
    else this.#watch.want(POLLOUT);
  }

  /** Resolves when everything has gone out, or can no longer go. */
  async flushed(): Promise<void> {
    while (this.pending > 0 && !this.#closed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
  readonly #waiting: (() => void)[] = [];

  #flush(): void {
    const isSent = this.#unsent.drain();
    if (this.#failure !== null) return this.#fail(this.#failure);
    if (!isSent) return;
    this.#watch.want(0);
    this.#settle();
    this.#events.drained();
  }

  /** How much of it fitted. */
  #send(bytes: Uint8Array): number {
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
      if (errno !== "EAGAIN") this.#failure = errno;
      break;
    }
    return at;
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
    this.#unsent.take();
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
