/**
 * Moves output from a descriptor to the session in short slices of blocking work. In a flood, a
 * tight loop of poll, read and deliver keeps up with a C program; after a few milliseconds the
 * event loop gets its turn.
 */
import { toArrayBuffer } from "bun:ffi";
import { lastErrno, libc } from "../../platform/native/libc.ts";
import { mapMemory } from "../../platform/native/machine-code.ts";
import { MuteableDescriptor } from "../../platform/fs/muteable-descriptor.ts";
import { readableBytes } from "../../platform/tty/terminal-device.ts";
import { Spin } from "./spin.ts";
import { POLLHUP, POLLIN, pollBriefly, pollNow, poller, type Watch } from "../../platform/native/poller.ts";

const SLICE_MS = 4;
const READ_BYTES = 64 * 1024;
const ECHO_MICROSECONDS = 200;
const ECHO_SPIN_MS = 0.1;
const LAST_BYTES_MICROSECONDS = 500;
const HAS_PPOLL = process.platform === "linux";
/** A bound, since a process may go on writing. */
const CATCH_UP_MS = 100;
/**
 * Reads of at least this size are a flood: a short wait for the next is cheaper than a turn of the
 * loop.
 */
const FLOOD_BYTES = 2048;
/**
 * The most that the kernel buffers. More output after the command's end comes from a leftover
 * process.
 */
const KERNEL_BUFFER_BYTES = 1024 * 1024;
/** The first reads of a flood are delivered one by one: a redrawn screen is not a flood. */
const GATHERED_AFTER = 4;
const GATHER_MICROSECONDS = 200;
/** How long the processor is yielded to the writing process before sleeping. */
const YIELD_MS = 0.15;
/** The most that one read of a terminal returns. */
const TERMINAL_READ_BYTES = 4096;

/** Mapped memory: pages that short output does not touch use no RAM. */
let buffer: Uint8Array | null = null;

function readBuffer(): Uint8Array {
  buffer ??= new Uint8Array(toArrayBuffer(mapMemory(READ_BYTES), 0, READ_BYTES));
  return buffer;
}

export class OutputPump {
  readonly #fd: number;
  readonly #deliver: (bytes: Uint8Array) => void;
  readonly #onEnd: () => void;
  #watch: Watch;
  /** Created with the first key; null where not available. */
  #mutable: MuteableDescriptor | null | undefined;
  readonly #buffer = readBuffer();
  #bytesRead = 0;
  /** Bytes at the start of the buffer, not delivered yet; only for a moment. */
  #gathered = 0;
  #echoSpin: Spin | null = null;
  /**
   * Spins for the next bytes of a flood. Falls back to poll(2) when other processes take the
   * processor.
   */
  #gatherSpin: Spin | null = null;
  /** The bytes read when the last wait for an echo failed. */
  #silentAt = -1;
  #paused = false;
  #ended = false;
  #isCut = false;

  /** `fd` must be non-blocking. `onEnd` is called at the end of the output. */
  constructor(fd: number, deliver: (bytes: Uint8Array) => void, onEnd: () => void = () => {}) {
    this.#fd = fd;
    this.#deliver = deliver;
    this.#onEnd = onEnd;
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

  /**
   * No bytes to read now; a process may still write. poll(2) first flushes bytes inside the kernel.
   */
  get empty(): boolean {
    return this.#ended || pollNow(this.#fd, POLLIN) === 0;
  }

  /** Waits a moment for more output. */
  get isSoonReady(): boolean {
    return !this.#paused && !this.#ended && HAS_PPOLL && pollBriefly(this.#fd, POLLIN, LAST_BYTES_MICROSECONDS) !== 0;
  }

  pause(paused: boolean): void {
    if (this.#ended || paused === this.#paused) return;
    this.#paused = paused;
    this.#updateWatch();
  }

  /**
   * Reads and delivers one slice. Returns whether it was a flood. One read of a terminal returns 4
   * KB, so after a few reads up to sixteen are gathered into one delivery, which costs a disk
   * write. Bytes are delivered before any longer wait for more.
   */
  slice(): boolean {
    const until = performance.now() + SLICE_MS;
    let isRefilled = false;
    for (let reads = 1; !this.#paused && !this.#ended; reads++) {
      const length = this.#read();
      // Checking the clock every sixteen reads suffices, unless a read had to wait.
      const isOver: boolean = length < FLOOD_BYTES || ((isRefilled || reads % 16 === 0) && performance.now() > until);
      isRefilled = !isOver && reads >= GATHERED_AFTER && this.#hasRoom && this.#isRefilled();
      if (isRefilled) continue;
      this.#flush();
      if (isOver) return length >= FLOOD_BYTES;
      if (!this.#paused && !this.#ended && (pollNow(this.#fd, POLLIN, 1) & (POLLIN | POLLHUP)) === 0) return true;
    }
    return false;
  }

  get #hasRoom(): boolean {
    return READ_BYTES - this.#gathered >= TERMINAL_READ_BYTES;
  }

  /** Waits a moment: waking up for each 4 KB would take longer than reading them. */
  #isRefilled(): boolean {
    if ((this.#gatherSpin ??= new Spin(() => this.#fillsWhileWeYield(), 32)).finds()) return true;
    return HAS_PPOLL && (pollBriefly(this.#fd, POLLIN, GATHER_MICROSECONDS) & (POLLIN | POLLHUP)) !== 0;
  }

  /**
   * Gives up after YIELD_MS: another process may keep the processor for milliseconds, as slow as
   * sleeping.
   */
  #fillsWhileWeYield(): boolean {
    const until = performance.now() + YIELD_MS;
    for (;;) {
      libc().sched_yield();
      if (performance.now() > until) return false;
      if (readableBytes(this.#fd) >= FLOOD_BYTES) return true;
    }
  }

  /** Delivers the gathered bytes. */
  #flush(): void {
    const length = this.#gathered;
    this.#gathered = 0;
    if (length > 0) this.#deliver(this.#buffer.subarray(0, length));
  }

  /**
   * Waits for the echo of a typed key, which usually comes within microseconds: that costs less
   * than two thread switches. After a wait in vain it does not wait again until the program prints:
   * otherwise ten thousand keys at once would take seconds.
   */
  awaitEcho(): void {
    if (this.#paused || this.#ended || !HAS_PPOLL || this.#silentAt === this.#bytesRead) return;
    this.#mute();
    try {
      if (this.#echoComes()) this.slice();
      else this.#silentAt = this.#bytesRead;
    } finally {
      this.#mutable?.mute(false);
    }
  }

  #echoComes(): boolean {
    return (
      (this.#echoSpin ??= new Spin(() => this.#spin(), 4)).finds() ||
      (pollBriefly(this.#fd, POLLIN, ECHO_MICROSECONDS) & POLLIN) !== 0
    );
  }

  #spin(): boolean {
    const until = performance.now() + ECHO_SPIN_MS;
    do if (readableBytes(this.#fd) > 0) return true;
    while (performance.now() < until);
    return false;
  }

  /**
   * Mutes the poll thread, which the echo would wake too, taking processor time from the program.
   */
  #mute(): void {
    if (this.#mutable === undefined) {
      this.#mutable = MuteableDescriptor.of(this.#fd);
      this.#watch.stop();
      this.#watch = poller().watch(this.#mutable?.pollable ?? this.#fd, POLLIN, () => void this.slice());
      this.#updateWatch();
    }
    this.#mutable?.mute(true);
  }

  /** Reads everything that was written before now. */
  catchUp(): void {
    const until = performance.now() + CATCH_UP_MS;
    while (!this.#paused && !this.empty && performance.now() < until) this.slice();
  }

  #updateWatch(): void {
    this.#watch.want(this.#paused ? 0 : POLLIN);
  }

  /** Reads into the buffer after the gathered bytes. */
  #read(): number {
    const at = this.#gathered;
    const length = Number(libc().read(this.#fd, at === 0 ? this.#buffer : this.#buffer.subarray(at), READ_BYTES - at));
    if (length > 0) {
      this.#bytesRead += length;
      this.#gathered += length;
      return length;
    }
    const errno = length === 0 ? "EOF" : lastErrno();
    // EIO: the last process has closed the terminal.
    if (errno !== "EAGAIN" && errno !== "EINTR") {
      this.#flush();
      this.stop();
      this.#onEnd();
    }
    return 0;
  }

  /** Stops reading and drops the rest of the output. */
  cut(): void {
    this.#isCut ||= !this.#ended;
    this.stop();
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  stop(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watch.stop();
    this.#mutable?.[Symbol.dispose]();
  }
}

/**
 * Reads until every pump is at its end, or just `empty`. False when a process still holds one open
 * at the deadline.
 *
 * The deadline applies only to pumps that are empty and open. The command's own output is read
 * however long it takes: a paused pump waits for the user, and a loaded machine may be slow.
 */
export function drainPumps(
  pumps: readonly OutputPump[],
  deadlineMs: number,
  until: "end" | "empty",
): Promise<boolean> | boolean {
  // The usual case: the output ends before the command does, or by the next read.
  for (const pump of pumps) if (!pump.ended) pump.slice();
  if (pumps.every((pump) => isDrained(pump, until))) return !pumps.some(({ isCut }) => isCut);
  return drained(pumps, deadlineMs, until);
}

function isDrained(pump: OutputPump, until: "end" | "empty"): boolean {
  return pump.ended || (until === "empty" && pump.empty);
}

async function drained(pumps: readonly OutputPump[], deadlineMs: number, until: "end" | "empty"): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  const bytesAtStart = new Map(pumps.map((pump) => [pump, pump.bytesRead]));
  const isHeldOpen = (pump: OutputPump): boolean =>
    !pump.paused && (pump.empty || pump.bytesRead - (bytesAtStart.get(pump) ?? 0) > KERNEL_BUFFER_BYTES);
  for (let pauseMs = 0; ; pauseMs = Math.min(pauseMs + 1, 5)) {
    for (const pump of pumps) pump.slice();
    const open = pumps.filter((pump) => !isDrained(pump, until));
    if (open.length === 0) return !pumps.some(({ isCut }) => isCut);
    if (performance.now() > deadline && open.every(isHeldOpen)) return false;
    // The process that holds it open usually ends before a turn of the loop would.
    if (pauseMs > 0 || open[0]?.isSoonReady !== true) await Bun.sleep(pauseMs);
  }
}
