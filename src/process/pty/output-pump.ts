/**
 * Moves bytes from a descriptor to the session in short slices of blocking work: in a flood, poll + read + handle in
 * a tight loop keeps up with a C program, and after a few milliseconds everyone else has their turn.
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
const SPIN_MS = 0.1;
const LAST_MICROSECONDS = 500;
const CAN_WAIT = process.platform === "linux";
/** Somebody may go on writing. */
const CATCH_UP_MS = 100;
/** Reads at least this long are a flood: waiting a moment for the next is cheaper than going around the loop. */
const FLOOD_BYTES = 2048;
/** What the kernel keeps for us at most: more than this after the end was printed by something left behind. */
const KERNEL_BYTES = 1024 * 1024;
/** So many reads of a flood are delivered each by itself: a screen that is drawn anew is not one. */
const GATHERED_AFTER = 4;
const GATHER_MICROSECONDS = 200;
/** So long the processor is offered to whoever fills the terminal, before we sleep. */
const YIELD_MS = 0.15;
/** As much as a terminal hands over at once. */
const ROOM_BYTES = 4096;

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
  #mutable: MuteableDescriptor | null | undefined;
  readonly #buffer = readBuffer();
  #bytesRead = 0;
  /** At the beginning of the buffer, and not delivered yet: never more than for a moment. */
  #gathered = 0;
  #echoSpin: Spin | null = null;
  /** Whoever floods is kept from it now and then by somebody else: then poll(2) waits for it. */
  #gatherSpin: Spin | null = null;
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
    return this.#ended || pollNow(this.#fd, POLLIN) === 0;
  }

  /** Waits for that, a moment. */
  get isSoonReady(): boolean {
    return !this.#paused && !this.#ended && CAN_WAIT && pollBriefly(this.#fd, POLLIN, LAST_MICROSECONDS) !== 0;
  }

  pause(paused: boolean): void {
    if (this.#ended || paused === this.#paused) return;
    this.#paused = paused;
    this.#look();
  }

  /**
   * Whether that is a flood. A terminal hands over four kilobytes at a time and is refilled meanwhile: after a few of them they are gathered, so that what comes with each delivery, a write to
   * the disk first of all, comes with sixteen. What nothing follows for a moment is delivered before more is waited for.
   */
  slice(): boolean {
    const until = performance.now() + SLICE_MS;
    let isRefilled = false;
    for (let reads = 1; !this.#paused && !this.#ended; reads++) {
      const length = this.#read();
      // Sixteen reads take no time; sixteen that were waited for take more than a slice.
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
    return READ_BYTES - this.#gathered >= ROOM_BYTES;
  }

  /** Within a moment: to be woken for each four kilobytes takes longer than to read them. */
  #isRefilled(): boolean {
    if ((this.#gatherSpin ??= new Spin(() => this.#fillsWhileWeYield(), 32)).finds()) return true;
    return CAN_WAIT && (pollBriefly(this.#fd, POLLIN, GATHER_MICROSECONDS) & (POLLIN | POLLHUP)) !== 0;
  }

  /** Whoever else takes the processor may keep it for milliseconds: that is no quicker than to sleep. */
  #fillsWhileWeYield(): boolean {
    const until = performance.now() + YIELD_MS;
    for (;;) {
      libc().sched_yield();
      if (performance.now() > until) return false;
      if (readableBytes(this.#fd) >= FLOOD_BYTES) return true;
    }
  }

  /** What was read and is not delivered yet. */
  #flush(): void {
    const length = this.#gathered;
    this.#gathered = 0;
    if (length > 0) this.#deliver(this.#buffer.subarray(0, length));
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

  #echoComes(): boolean {
    return (
      (this.#echoSpin ??= new Spin(() => this.#spin(), 4)).finds() ||
      (pollBriefly(this.#fd, POLLIN, ECHO_MICROSECONDS) & POLLIN) !== 0
    );
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
      this.#mutable = MuteableDescriptor.of(this.#fd);
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
    this.#watch.want(this.#paused ? 0 : POLLIN);
  }

  /** Behind what is gathered. */
  #read(): number {
    const at = this.#gathered;
    const length = Number(libc().read(this.#fd, at === 0 ? this.#buffer : this.#buffer.subarray(at), READ_BYTES - at));
    if (length > 0) {
      this.#bytesRead += length;
      this.#gathered += length;
      return length;
    }
    const errno = length === 0 ? "EOF" : lastErrno();
    // EIO is how a terminal says that its last user has gone.
    if (errno !== "EAGAIN" && errno !== "EINTR") {
      this.#flush();
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
export function drainPumps(
  pumps: readonly OutputPump[],
  deadlineMs: number,
  until: "end" | "empty",
): Promise<boolean> | boolean {
  // As mostly: the end of its output comes before a command's own, or with the next look.
  for (const pump of pumps) if (!pump.ended) pump.slice();
  if (pumps.every((pump) => isDrained(pump, until))) return !pumps.some(({ isCut }) => isCut);
  return drained(pumps, deadlineMs, until);
}

function isDrained(pump: OutputPump, until: "end" | "empty"): boolean {
  return pump.ended || (until === "empty" && pump.empty);
}

async function drained(pumps: readonly OutputPump[], deadlineMs: number, until: "end" | "empty"): Promise<boolean> {
  const deadline = performance.now() + deadlineMs;
  const atFirst = new Map(pumps.map((pump) => [pump, pump.bytesRead]));
  const isHeldOpen = (pump: OutputPump): boolean =>
    !pump.paused && (pump.empty || pump.bytesRead - (atFirst.get(pump) ?? 0) > KERNEL_BYTES);
  for (let rest = 0; ; rest = Math.min(rest + 1, 5)) {
    for (const pump of pumps) pump.slice();
    const open = pumps.filter((pump) => !isDrained(pump, until));
    if (open.length === 0) return !pumps.some(({ isCut }) => isCut);
    if (performance.now() > deadline && open.every(isHeldOpen)) return false;
    // What held it open is mostly gone before the loop would have turned.
    if (rest > 0 || open[0]?.isSoonReady !== true) await Bun.sleep(rest);
  }
}
