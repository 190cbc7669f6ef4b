/**
 * Moves bytes from a descriptor to the session in short slices of blocking work: in a flood, poll + read + handle in
 * a tight loop keeps up with a C program, and after a few milliseconds everyone else has their turn.
 */
import { toArrayBuffer } from "bun:ffi";
import { lastErrno, libc } from "../platform/libc.ts";
import { mapMemory } from "../platform/machine-code.ts";
import { MutableDescriptor } from "../platform/mutable-descriptor.ts";
import { readableBytes } from "../platform/terminal-device.ts";
import { POLLHUP, POLLIN, pollBriefly, pollNow, poller, type Watch } from "../platform/poller.ts";

const SLICE_MS = 4;
const READ_BYTES = 64 * 1024;
const ECHO_MICROSECONDS = 200;
const SPIN_MS = 0.1;
const MISSED_SPINS = 4;
const RETRIED_SPINS = 16;
const LAST_MICROSECONDS = 500;
const CAN_WAIT = process.platform === "linux";
/** With one processor, to look is to keep the command from printing. */
const CAN_SPIN = CAN_WAIT && navigator.hardwareConcurrency > 1;
/** Somebody may go on writing. */
const CATCH_UP_MS = 100;
/** Reads at least this long are a flood: waiting a moment for the next is cheaper than going around the loop. */
const FLOOD_BYTES = 2048;
/** What the kernel keeps for us at most: more than this after the end was printed by something left behind. */
const KERNEL_BYTES = 1024 * 1024;

/** Mapped, so that a session that prints little does not keep the whole of it in memory. */
let buffer: Uint8Array | null = null;

function readBuffer(): Uint8Array {
  buffer ??= new Uint8Array(toArrayBuffer(mapMemory(READ_BYTES), 0, READ_BYTES));
  return buffer;
}

export class OutputPump {
  readonly #fd: number;
  readonly #deliver: (bytes: Uint8Array) => void;
  readonly #over: () => void;
  #watch: Watch;
  /** Once a key was typed; null where there is none to be had. */
  #mutable: MutableDescriptor | null | undefined;
  readonly #buffer = readBuffer();
  /** Somebody else reads it, and stops when asked to. */
  #want: (() => void) | null = null;
  #bytesRead = 0;
  #missedSpins = 0;
  /** What had been read when an echo was last waited for in vain. */
  #silentAt = -1;
  #paused = false;
  #ended = false;
  #isCut = false;

  /** `fd` must not block. `over` is told when everything was read. */
  constructor(fd: number, deliver: (bytes: Uint8Array) => void, over: () => void = () => {}) {
    this.#fd = fd;
    this.#deliver = deliver;
    this.#over = over;
    this.#watch = poller().watch(fd, POLLIN, () => void this.slice());
  }

  get ended(): boolean {
    return this.#ended;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  get paused(): boolean {
    return this.#paused && !this.#ended;
  }

  /** Nothing to read now, though somebody may still write. The kernel flushes what is on its way before it says so. */
  get empty(): boolean {
    this.#want?.();
    return this.#ended || pollNow(this.#fd, POLLIN) === 0;
  }

  /** Waits for that, a moment. */
  get isSoonReady(): boolean {
    return !this.#paused && !this.#ended && CAN_WAIT && pollBriefly(this.#fd, POLLIN, LAST_MICROSECONDS) !== 0;
  }

  pause(paused: boolean): void {
    this.#want?.();
    if (this.#ended || paused === this.#paused) return;
    this.#paused = paused;
    this.#look();
  }

  /** Null: it is ours again. */
  lend(want: (() => void) | null): void {
    this.#want = want;
    if (!this.#ended) this.#look();
  }

  /** Whether that is a flood. */
  slice(): boolean {
    this.#want?.();
    const until = performance.now() + SLICE_MS;
    for (let reads = 1; !this.#paused && !this.#ended; reads++) {
      const length = this.#read();
      if (length < FLOOD_BYTES) return false;
      if (reads % 16 === 0 && performance.now() > until) return true;
      if ((pollNow(this.#fd, POLLIN, 1) & (POLLIN | POLLHUP)) === 0) return true;
    }
    return false;
  }

  /**
   * A key was typed. Its echo is mostly a few microseconds away: to wait here costs less than two changes of thread. A program that printed nothing
   * when that was last waited for is not waited for again until it does: ten thousand keys that come at once would be seconds of waiting.
   */
  awaitEcho(): void {
    if (this.#paused || this.#ended || !CAN_WAIT || this.#silentAt === this.#bytesRead) return;
    this.#mute();
    try {
      if (this.#echoComes()) this.slice();
      else this.#silentAt = this.#bytesRead;
    } finally {
      this.#mutable?.mute(false);
    }
  }

  /** To look again and again finds it sooner than to sleep and be woken. Where that was in vain, it is not tried for a while. */
  #echoComes(): boolean {
    if (CAN_SPIN && (this.#missedSpins < MISSED_SPINS || ++this.#missedSpins % RETRIED_SPINS === 0)) {
      if (this.#spin()) {
        this.#missedSpins = 0;
        return true;
      }
      this.#missedSpins++;
    }
    return (pollBriefly(this.#fd, POLLIN, ECHO_MICROSECONDS) & POLLIN) !== 0;
  }

  #spin(): boolean {
    const until = performance.now() + SPIN_MS;
    do if (readableBytes(this.#fd) > 0) return true;
    while (performance.now() < until);
    return false;
  }

  /** The thread that polls for us would wake of the echo as well, and take the processor that it needs. */
  #mute(): void {
    if (this.#mutable === undefined) {
      this.#mutable = MutableDescriptor.of(this.#fd);
      this.#watch.stop();
      this.#watch = poller().watch(this.#mutable?.pollable ?? this.#fd, POLLIN, () => void this.slice());
      this.#look();
    }
    this.#mutable?.mute(true);
  }

  /** Reads everything that was written before now. */
  catchUp(): void {
    const until = performance.now() + CATCH_UP_MS;
    while (!this.#paused && !this.empty && performance.now() < until) this.slice();
  }

  #look(): void {
    this.#watch.want(this.#paused || this.#want !== null ? 0 : POLLIN);
  }

  #read(): number {
    const length = Number(libc().read(this.#fd, this.#buffer, READ_BYTES));
    if (length > 0) {
      this.#bytesRead += length;
      this.#deliver(this.#buffer.subarray(0, length));
      return length;
    }
    const errno = length === 0 ? "EOF" : lastErrno();
    // EIO is how a terminal says that its last user has gone.
    if (errno !== "EAGAIN" && errno !== "EINTR") {
      this.stop();
      this.#over();
    }
    return 0;
  }

  /** Nobody wants the rest. */
  cut(): void {
    this.#isCut ||= !this.#ended;
    this.stop();
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  stop(): void {
    this.#want?.();
    if (this.#ended) return;
    this.#ended = true;
    this.#watch.stop();
    this.#mutable?.[Symbol.dispose]();
  }
}

/**
 * Reads until every pump is at its end, or just `empty`. False when something still held one open at the deadline.
 *
 * Only what is empty and open counts against the deadline. What the command printed is read however long that takes: a
 * pump that is paused waits for the person, and a loaded machine may leave us no time before the deadline.
 */
export async function drainPumps(
  pumps: readonly OutputPump[],
  deadlineMs: number,
  until: "end" | "empty",
): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  const atFirst = new Map(pumps.map((pump) => [pump, pump.bytesRead]));
  const isDone = (pump: OutputPump): boolean => pump.ended || (until === "empty" && pump.empty);
  const isHeldOpen = (pump: OutputPump): boolean =>
    !pump.paused && (pump.empty || pump.bytesRead - (atFirst.get(pump) ?? 0) > KERNEL_BYTES);
  for (let rest = 0; ; rest = Math.min(rest + 1, 5)) {
    for (const pump of pumps) pump.slice();
    const open = pumps.filter((pump) => !isDone(pump));
    if (open.length === 0) return !pumps.some(({ isCut }) => isCut);
    if (performance.now() > deadline && open.every(isHeldOpen)) return false;
    // A leader that has reported is mostly gone before the loop would have turned.
    if (rest > 0 || open[0]?.isSoonReady !== true) await Bun.sleep(rest);
  }
}
