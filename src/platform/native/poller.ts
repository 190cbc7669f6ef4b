/**
 * Tells when a descriptor can be read or written, without reading it and without blocking the loop.
 *
 * Bun has streams, and they read ahead: what they took cannot be left to somebody else, ordered against our own reads, or
 * paused at once; and its writers block the loop on a terminal. So one thread sleeps in poll(2) over all
 * descriptors that are of interest and wakes the loop through a socket: of all that the loop reads, it has the shortest way to us.
 *
 * Order: the thread polls, writes to `wake`, then waits on `ack`. Between the two it is parked, and only
 * then is the shared list of pollfds touched by us. A change of interest while it polls kicks it through `kick`, the first entry.
 */
import { toArrayBuffer } from "bun:ffi";
import { adoptSocket } from "./adopt-socket.ts";
import { setNonBlocking } from "../fs/descriptors.ts";
import { checked, libc } from "./libc.ts";
import { machineCode, mapMemory } from "./machine-code.ts";
import { socketPair } from "../sockets/unix-socket.ts";

export const POLLIN = 1;
export const POLLOUT = 4;
export const POLLERR = 8;
export const POLLHUP = 16;

export interface Watch {
  /** POLLIN | POLLOUT, or 0 to be left alone. */
  want(events: number): void;
  stop(): void;
}

export interface Poller {
  /** `ready` is called with what poll(2) said, again and again for as long as it is so and it is wanted. */
  watch(fd: number, events: number, ready: (revents: number) => void): Watch;
  /** The same, here and now: waits at most so long for something that is watched, and tells of all that is ready. The loop may tell of it once more. */
  pollOnce(timeoutMs: number): void;
}

interface Entry {
  fd: number;
  events: number;
  ready: (revents: number) => void;
}

const MAX_WATCHES = 64;

/** What poll(2) says of one descriptor now. */
export function pollNow(fd: number, events: number, timeoutMs = 0): number {
  pollOne[0] = fd;
  pollOne[1] = events;
  return libc().poll(pollOne, 1n, timeoutMs) > 0 ? (pollOne[1] ?? 0) >>> 16 : 0;
}
const pollOne = new Int32Array(2);

/** The same, for a time too short for poll(2): in microseconds. */
export function pollBriefly(fd: number, events: number, microseconds: number): number {
  pollOne[0] = fd;
  pollOne[1] = events;
  brief[1] = BigInt(microseconds * 1000);
  return libc().ppoll(pollOne, 1n, brief, null) > 0 ? (pollOne[1] ?? 0) >>> 16 : 0;
}
const brief = new BigInt64Array(2);

const pollAll = new Int32Array(2 * MAX_WATCHES);

function pollEntries(entries: readonly Entry[], timeoutMs: number): void {
  let wanted = 0;
  for (const { fd, events } of entries) {
    if (events === 0 || wanted === MAX_WATCHES) continue;
    pollAll[2 * wanted] = fd;
    pollAll[2 * wanted++ + 1] = events;
  }
  if (libc().poll(pollAll, wanted, timeoutMs) <= 0) return;
  // A callback may look around in here itself, and put others into the list, or take them out.
  const ready: { entry: Entry; revents: number }[] = [];
  let asked = 0;
  for (const entry of entries) {
    if (entry.events === 0 || asked === MAX_WATCHES) continue;
    const revents = (pollAll[2 * asked++ + 1] ?? 0) >>> 16;
    if (revents !== 0) ready.push({ entry, revents });
  }
  for (const { entry, revents } of ready) if (entry.events !== 0) call(entry, revents);
}

/**
 * For something that everybody waits for, and that is less away than a wake-up of the loop would take: all that is watched is served here until it is
 * so, for at most so long. Timers and the runtime's own sockets wait.
 */
export function pollUntil(isSo: () => boolean, mostMs: number): void {
  const until = performance.now() + mostMs;
  for (let left = mostMs; left > 0 && !isSo(); left = Math.ceil(until - performance.now())) poller().pollOnce(left);
}

let shared: Poller | null = null;

/** One for the process: it lives as long as the process does. */
export function poller(): Poller {
  shared ??= threadPoller() ?? timerPoller();
  return shared;
}

function threadPoller(): Poller | null {
  const code = machineCode();
  if (code === null) return null;
  const EFD_CLOEXEC = 0o2000000;
  const EFD_NONBLOCK = 0o4000;
  const memory = mapMemory();
  const words = new Int32Array(toArrayBuffer(memory, 0, 4096));
  const [woken, wake] = socketPair();
  [woken, wake].forEach(setNonBlocking);
  const ack = checked(libc().eventfd(0, EFD_CLOEXEC), "eventfd");
  const kick = checked(libc().eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  const entries: Entry[] = [];
  /** The entries as the thread sees them, in its order. */
  let polled: Entry[] = [];
  let parked = false;
  let kicked = false;
  const one = new BigUint64Array([1n]);
  const scratch = new BigUint64Array(1);

  // struct poll_page of native/threads.c: one, read, wake, acknowledged, count, then the descriptors.
  const BASE = 8;
  words[0] = 1;
  words[4] = wake;
  words[5] = ack;
  publish();
  startThread(code.pollThread, Number(memory));
  void adoptSocket(woken, { data: turn });

  function publish(): void {
    polled = entries.filter((entry) => entry.events !== 0);
    words[BASE] = kick;
    words[BASE + 1] = POLLIN;
    for (const [i, entry] of polled.entries()) {
      words[BASE + 2 + i * 2] = entry.fd;
      words[BASE + 3 + i * 2] = entry.events;
    }
    words[6] = polled.length + 1;
  }

  function turn(): void {
    parked = true;
    dispatch();
    publish();
    parked = false;
    libc().write(ack, one, 8n);
  }

  function dispatch(): void {
    if ((words[BASE + 1] ?? 0) >>> 16 !== 0) {
      libc().read(kick, scratch, 8n);
      kicked = false;
    }
    for (const [i, entry] of polled.entries()) {
      const revents = (words[BASE + 3 + i * 2] ?? 0) >>> 16;
      // A callback before this one may have withdrawn the interest or the watch.
      if (revents !== 0 && entry.events !== 0) call(entry, revents);
    }
  }

  function changed(): void {
    if (parked || kicked) return;
    kicked = true;
    libc().write(kick, one, 8n);
  }

  return {
    watch(fd, events, ready) {
      if (entries.length >= MAX_WATCHES) throw new Error("too many watched descriptors");
      const entry: Entry = { fd, events, ready };
      entries.push(entry);
      if (events !== 0) changed();
      return watchOf(entry, entries, changed);
    },
    pollOnce: (timeoutMs) => pollEntries(entries, timeoutMs),
  };
}

/** Runs machine code on a thread that lives as long as the process. */
function startThread(code: number, argument: number): void {
  const attributes = new Uint8Array(128);
  const thread = new BigUint64Array(1);
  const all = new Uint8Array(128).fill(255);
  const before = new Uint8Array(128);
  const SIG_SETMASK = 2;
  libc().pthread_attr_init(attributes);
  libc().pthread_attr_setdetachstate(attributes, 1);
  libc().pthread_attr_setstacksize(attributes, 65536n);
  // The thread inherits a full mask, so that every signal goes to a thread that Bun knows.
  libc().pthread_sigmask(SIG_SETMASK, all, before);
  const failed = libc().pthread_create(thread, attributes, code as never, argument as never);
  libc().pthread_sigmask(SIG_SETMASK, before, null);
  if (failed !== 0) throw new Error(`pthread_create failed (${failed})`);
}

/** A fault in a callback is the program's fault, reported as any other; it must not silence everyone else's events. */
function call(entry: Entry, revents: number): void {
  try {
    entry.ready(revents);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function watchOf(entry: Entry, entries: Entry[], changed: () => void): Watch {
  return {
    want(events) {
      const added = (events & ~entry.events) !== 0;
      entry.events = events;
      // Less interest needs no kick: a needless wake-up publishes the new list.
      if (added) changed();
    },
    stop() {
      const at = entries.indexOf(entry);
      if (at >= 0) entries.splice(at, 1);
      entry.events = 0;
      // The descriptor may be closed and used again next: the thread must not go on polling it.
      changed();
    },
  };
}

/** Where there is no thread: asks every few milliseconds, less often while nothing happens. */
function timerPoller(): Poller {
  const entries: Entry[] = [];
  let delay = 1;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function tick(): void {
    timer = null;
    let any = false;
    for (const entry of entries.slice()) {
      const revents = entry.events === 0 ? 0 : pollNow(entry.fd, entry.events);
      if (revents === 0) continue;
      any = true;
      call(entry, revents);
    }
    delay = any ? 0 : Math.min(delay + 1, 10);
    schedule();
  }

  function schedule(): void {
    if (timer === null && entries.some((entry) => entry.events !== 0)) timer = setTimeout(tick, delay);
  }

  function changed(): void {
    delay = 0;
    schedule();
  }

  return {
    watch(fd, events, ready) {
      const entry: Entry = { fd, events, ready };
      entries.push(entry);
      changed();
      return watchOf(entry, entries, changed);
    },
    pollOnce: (timeoutMs) => pollEntries(entries, timeoutMs),
  };
}
