/**
 * Writes to the user's stdout or stderr without blocking the loop. The reader's pace is the
 * command's: the owner pauses the command while `pending` is above PAUSE_ABOVE and resumes it on
 * `drained`.
 *
 * The open file, and so its O_NONBLOCK flag, is shared with the parent shell: setting it would make
 * another program's writes fail. Reopening through /proc gives a separate flag. A file that cannot
 * be reopened (a socket) is polled before each small write instead.
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
  /** The reader is gone (EPIPE), or the terminal is (EIO). */
  closed(errno: string): void;
}

export class PacedOutput {
  readonly #fd: number;
  readonly #owned: boolean;
  /** The most bytes per write: a larger write could block on a blocking descriptor. */
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

  /** Copies the bytes that cannot be written at once. */
  write(bytes: Uint8Array): void {
    if (this.#closed || this.#unsent.send(bytes, "lent")) return;
    if (this.#failure !== null) this.#fail(this.#failure);
    else this.#watch.want(POLLOUT);
  }

  /** Resolves when all is written, or the output is closed. */
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

  /** Returns the number of bytes written. */
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
  if (isFile(fd)) return null; // a file does not block for long, and reopened it would have its own offset
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
