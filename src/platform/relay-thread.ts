/**
 * Takes a key from a socket to a command's terminal and its echo from there to a file and to another terminal, without a turn of the loop:
 * a thread of machine code (native/relay-x64.s). It does only what needs no thought, and notes down what it did; all else it leaves to the
 * loop, with everything that it has read.
 *
 * One of the two has it all in hand: the thread only between grant() and hold(). Who wants to read or write what was granted calls hold() first,
 * which waits for a key that is under way: microseconds, as the thread does not go on waiting for an echo then.
 */
import { toArrayBuffer } from "bun:ffi";
import { adoptSocket } from "./adopt-socket.ts";
import { closeQuietly } from "./descriptors.ts";
import { checked, libc } from "./libc.ts";
import { machineCode, mapCode, mapMemory } from "./machine-code.ts";
import { RELAY_X64 } from "./native/relay-code.ts";
import { duplicateOf, socketPair, startThread } from "./native-thread.ts";
import { POLLIN } from "./poller.ts";
import {
  LEFT,
  LOOP,
  NOBODY,
  RELAY_BYTES,
  RELAY_PAGE,
  type RelayedKey,
  relayedKeys,
  RULES_BYTES,
  THREAD,
} from "./relay-page.ts";

export type { RelayedKey };

const EFD_CLOEXEC = 0o2000000;
const EFD_NONBLOCK = 0o4000;
const CLOCK_MONOTONIC = 1;
const WAIT_NS = 300_000;

export interface RelayTerms {
  /** The command's terminal; no read or write of it blocks. */
  command: number;
  /** Where an echo is kept, from which offset, and how much of it. */
  file: number;
  offset: number;
  room: number;
  /** Where an echo is shown; no write blocks. */
  terminal: number;
  /** What a key must say of what was shown. */
  shown: number;
}

/** What the thread did, and why it does no more: the loop's business now. */
export interface Relayed {
  keys: Iterable<RelayedKey>;
  /** Not handed over: taken. */
  why: "held" | "printed" | "received" | "noted";
  /** Of the socket, as read: nothing is its end. Null where nothing was. */
  received: Uint8Array | null;
  /** How long ago it was left to the loop. */
  msAgo: () => number;
}

export class RelayThread {
  readonly #memory: ArrayBuffer;
  readonly #page: DataView;
  readonly #state: Int32Array;
  readonly #ack: number;
  readonly #kick: number;
  readonly #one = new BigUint64Array([1n]);
  /** Its own, so that no other gets the number while it polls. */
  #socket = -1;
  #isOurs = true;

  /** It has done something: hold() tells what. */
  turn: () => void = () => {};

  private constructor(frameType: number, rules: Uint8Array) {
    const page = mapMemory(RELAY_BYTES);
    this.#memory = toArrayBuffer(page, 0, RELAY_BYTES);
    this.#page = new DataView(this.#memory);
    this.#state = new Int32Array(this.#memory, RELAY_PAGE.state, 1);
    this.#ack = checked(libc().eventfd(0, EFD_CLOEXEC), "eventfd");
    this.#kick = checked(libc().eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    const [woken, wake] = socketPair();
    this.#page.setBigUint64(RELAY_PAGE.scratch, 1n, true);
    this.#set(RELAY_PAGE.wake, wake);
    this.#set(RELAY_PAGE.ack, this.#ack);
    this.#set(RELAY_PAGE.state, LOOP);
    this.#set(RELAY_PAGE.wait, WAIT_NS);
    this.#page.setUint8(RELAY_PAGE.frameType, frameType);
    this.#watch(RELAY_PAGE.kick, this.#kick);
    new Uint8Array(this.#memory, RELAY_PAGE.rules, RULES_BYTES).set(rules);
    startThread(mapCode(Uint8Array.fromBase64(RELAY_X64)), Number(page));
    void adoptSocket(woken, { data: () => this.turn() });
  }

  /** As the kernel calls it. */
  get number(): number {
    return this.#page.getUint32(RELAY_PAGE.thread, true);
  }

  /** Null where there is none to be had. It lives as long as the process. */
  static start(frameType: number, rules: Uint8Array): RelayThread | null {
    if (process.arch !== "x64" || machineCode() === null) return null;
    try {
      return new RelayThread(frameType, rules);
    } catch {
      return null;
    }
  }

  /** Whose keys they are, and for whom nothing is read but through here; null: nobody's. False when that cannot be. */
  connect(socket: number | null): boolean {
    if (this.#socket !== -1) {
      closeQuietly(this.#socket);
      // While it polls the connection it keeps it open, whoever closes it.
      libc().write(this.#kick, this.#one, 8n);
    }
    this.#socket = socket === null ? -1 : duplicateOf(socket);
    this.#watch(RELAY_PAGE.socket, this.#socket);
    return this.#socket !== -1;
  }

  /** All of this, and the socket's input, is the thread's until hold(). */
  grant({ command, file, offset, room, terminal, shown }: RelayTerms): void {
    this.#watch(RELAY_PAGE.command, command);
    this.#set(RELAY_PAGE.file, file);
    this.#page.setBigUint64(RELAY_PAGE.offset, BigInt(offset), true);
    this.#set(RELAY_PAGE.room, Math.min(room, 0xffff_ffff));
    this.#set(RELAY_PAGE.terminal, terminal);
    this.#set(RELAY_PAGE.shown, shown);
    this.#isOurs = false;
    Atomics.store(this.#state, 0, NOBODY);
    libc().write(this.#ack, this.#one, 8n);
  }

  /** From here on all of it is the loop's. Null where it was already. */
  hold(): Relayed | null {
    if (this.#isOurs) return null;
    const wasLeft = !this.#take();
    this.#isOurs = true;
    const used = this.#page.getUint32(RELAY_PAGE.used, true);
    this.#set(RELAY_PAGE.used, 0);
    const why = wasLeft ? this.#page.getUint32(RELAY_PAGE.why, true) : 0;
    return {
      keys: relayedKeys(this.#memory, used),
      why:
        why === LEFT.printed ? "printed" : why === LEFT.received ? "received" : why === LEFT.noted ? "noted" : "held",
      received: why === LEFT.received ? this.#received() : null,
      msAgo: () => this.#msAgo(),
    };
  }

  /** False where the thread had left it to us already. */
  #take(): boolean {
    let before = Atomics.compareExchange(this.#state, 0, NOBODY, LOOP);
    if (before !== THREAD) return before === NOBODY;
    this.#set(RELAY_PAGE.isAwaited, 1);
    libc().write(this.#kick, this.#one, 8n);
    for (; before === THREAD; before = Atomics.compareExchange(this.#state, 0, NOBODY, LOOP)) libc().sched_yield();
    this.#set(RELAY_PAGE.isAwaited, 0);
    return before === NOBODY;
  }

  #received(): Uint8Array {
    const length = Math.max(0, this.#page.getInt32(RELAY_PAGE.received, true));
    return new Uint8Array(this.#memory, RELAY_PAGE.frame, length);
  }

  #msAgo(): number {
    const now = new BigInt64Array(2);
    libc().clock_gettime(CLOCK_MONOTONIC, now);
    const seconds = (now[0] ?? 0n) - this.#page.getBigInt64(RELAY_PAGE.leftAt, true);
    const nanoseconds = (now[1] ?? 0n) - this.#page.getBigInt64(RELAY_PAGE.leftAt + 8, true);
    return Number(seconds) * 1e3 + Number(nanoseconds) / 1e6;
  }

  #watch(at: number, fd: number): void {
    this.#set(at, fd);
    this.#set(at + 4, POLLIN);
  }

  #set(at: number, value: number): void {
    this.#page.setUint32(at, value, true);
  }
}
