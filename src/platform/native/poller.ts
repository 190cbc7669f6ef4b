/**
 * Reports when descriptors are readable or writable, without reading them and without blocking the
 * loop. Bun's streams read ahead, cannot be paused at once, and block the loop when writing to a
 * terminal. So one thread sleeps in poll(2) over all watched descriptors and wakes the loop through
 * a socket, the runtime's fastest event source.
 *
 * Order: the thread polls, writes to `wake`, then waits on `ack`. Only between the two does the
 * loop change the shared list of pollfds. A change while the thread polls interrupts it through
 * `kick`, the first entry.
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
  /** Sets the events to wait for: POLLIN | POLLOUT, or 0 to pause. */
  want(events: number): void;
  stop(): void;
}

export interface Poller {
  /**
   * Calls `ready` with the poll(2) events, repeatedly while they last and are wanted
   * (level-triggered).
   */
  watch(fd: number, events: number, ready: (revents: number) => void): Watch;
  /**
   * Polls all watches now, blocking for at most `timeoutMs`. The loop may report the same events
   * again.
   */
  pollOnce(timeoutMs: number): void;
}

interface Entry {
  fd: number;
  events: number;
  ready: (revents: number) => void;
}

const MAX_WATCHES = 64;

/** The current poll(2) events of one descriptor. */
export function pollNow(fd: number, events: number, timeoutMs = 0): number {
  pollOne[0] = fd;
  pollOne[1] = events;
  return libc().poll(pollOne, 1n, timeoutMs) > 0 ? (pollOne[1] ?? 0) >>> 16 : 0;
}
const pollOne = new Int32Array(2);

/** The same with a timeout in microseconds, by ppoll(2). */
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
  // Collect first: a callback may poll again itself, and add or remove watches.
  const ready: { entry: Entry; revents: number }[] = [];
  let position = 0;
  for (const entry of entries) {
    if (entry.events === 0 || position === MAX_WATCHES) continue;
    const revents = (pollAll[2 * position++ + 1] ?? 0) >>> 16;
    if (revents !== 0) ready.push({ entry, revents });
  }
  for (const { entry, revents } of ready) if (entry.events !== 0) call(entry, revents);
}

/**
 * Serves all watches here until `isDone`, for at most `mostMs`: for an event that comes sooner than
 * the loop would wake. Timers and the runtime's own sockets wait meanwhile.
 */
export function pollUntil(isDone: () => boolean, mostMs: number): void {
  const until = performance.now() + mostMs;
  for (let left = mostMs; left > 0 && !isDone(); left = Math.ceil(until - performance.now())) poller().pollOnce(left);
}

let shared: Poller | null = null;

/** The process's one poller. */
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
  /** The entries that the thread polls, in its order. */
  let polled: Entry[] = [];
  let parked = false;
  let kicked = false;
  const one = new BigUint64Array([1n]);
  const scratch = new BigUint64Array(1);

  // struct poll_page of native/threads.c: one, read, wake, acknowledged, count, then the
  // descriptors.
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

  function interestChanged(): void {
    if (parked || kicked) return;
    kicked = true;
    libc().write(kick, one, 8n);
  }

  return {
    watch(fd, events, ready) {
      if (entries.length >= MAX_WATCHES) throw new Error("too many watched descriptors");
      const entry: Entry = { fd, events, ready };
      entries.push(entry);
      if (events !== 0) interestChanged();
      return watchOf(entry, entries, interestChanged);
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

/** Reports an exception in a callback as uncaught, and goes on with the other entries. */
function call(entry: Entry, revents: number): void {
  try {
    entry.ready(revents);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function watchOf(entry: Entry, entries: Entry[], interestChanged: () => void): Watch {
  return {
    want(events) {
      const added = (events & ~entry.events) !== 0;
      entry.events = events;
      // Fewer events need no kick: a needless wake-up publishes the new list.
      if (added) interestChanged();
    },
    stop() {
      const at = entries.indexOf(entry);
      if (at >= 0) entries.splice(at, 1);
      entry.events = 0;
      // The descriptor may be closed and its number reused next: the thread must stop polling it.
      interestChanged();
    },
  };
}

/** For platforms without the thread: polls every 1 to 10 ms, less often while idle. */
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

  function interestChanged(): void {
    delay = 0;
    schedule();
  }

  return {
    watch(fd, events, ready) {
      const entry: Entry = { fd, events, ready };
      entries.push(entry);
      interestChanged();
      return watchOf(entry, entries, interestChanged);
    },
    pollOnce: (timeoutMs) => pollEntries(entries, timeoutMs),
  };
}
