/**
 * Moves bytes from a descriptor to the session in short slices of blocking work: in a flood, poll + read + handle in
 * a tight loop keeps up with a C program, and after a few milliseconds everyone else has their turn.
 */
import { lastErrno, libc } from "../platform/libc.ts";
import { POLLHUP, POLLIN, pollNow, poller, type Watch } from "../platform/poller.ts";

const SLICE_MS = 4;
const READ_BYTES = 65536n;
/** Reads at least this long are a flood: waiting a moment for the next is cheaper than going around the loop. */
const FLOOD_BYTES = 2048;

const buffer = new Uint8Array(Number(READ_BYTES));

export class OutputPump {
  readonly #fd: number;
  readonly #deliver: (bytes: Uint8Array) => void;
  readonly #watch: Watch;
  #paused = false;
  #ended = false;

  /** `fd` must not block. */
  constructor(fd: number, deliver: (bytes: Uint8Array) => void) {
    this.#fd = fd;
    this.#deliver = deliver;
    this.#watch = poller().watch(fd, POLLIN, () => this.slice());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Nothing to read now, though somebody may still write. The kernel flushes what is on its way before it says so. */
  get empty(): boolean {
    return this.#ended || pollNow(this.#fd, POLLIN) === 0;
  }

  pause(paused: boolean): void {
    if (this.#ended || paused === this.#paused) return;
    this.#paused = paused;
    this.#watch.want(paused ? 0 : POLLIN);
  }

  slice(): void {
    const until = performance.now() + SLICE_MS;
    for (let reads = 1; !this.#paused && !this.#ended; reads++) {
      const length = this.#read();
      if (length < FLOOD_BYTES) return;
      if (reads % 16 === 0 && performance.now() > until) return;
      if ((pollNow(this.#fd, POLLIN, 1) & (POLLIN | POLLHUP)) === 0) return;
    }
  }

  #read(): number {
    const length = Number(libc().read(this.#fd, buffer, READ_BYTES));
    if (length > 0) {
      this.#deliver(buffer.subarray(0, length));
      return length;
    }
    const errno = length === 0 ? "EOF" : lastErrno();
    // EIO is how a terminal says that its last user has gone.
    if (errno !== "EAGAIN" && errno !== "EINTR") this.stop();
    return 0;
  }

  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watch.stop();
  }
}

/** Reads until every pump is at its end, or just `empty`, or the deadline has passed. False when it has. */
export async function drainPumps(
  pumps: readonly OutputPump[],
  deadlineMs: number,
  until: "end" | "empty",
): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  const done = (): boolean => pumps.every((pump) => pump.ended || (until === "empty" && pump.empty));
  for (const pump of pumps) pump.pause(false);
  for (let rest = 0; ; rest = Math.min(rest + 1, 5)) {
    for (const pump of pumps) pump.slice();
    if (done()) return true;
    if (performance.now() > deadline) return false;
    await Bun.sleep(rest);
  }
}
