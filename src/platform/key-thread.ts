/**
 * Reads a terminal and sends what is typed there to a socket, as frames, without a turn of the loop: a thread of machine code
 * (native/keys-x64.s). It sends only what needs no thought. A read with one of the `told` bytes in it, and whatever it cannot read or
 * send, it leaves to the loop, and parks until that says to go on.
 *
 * It stands where a poller's watch would: wanted or not. Where what is typed may not be sent at once (`maySend`), a watch of
 * the poller takes its place. While it runs its page is its own, but for how much was shown.
 *
 * It blocks every signal, so a read from the background fails (EIO) and does not stop the process; and a process that is stopped or killed
 * reads nothing: what is typed then is for whoever has the terminal.
 */
import { toArrayBuffer } from "bun:ffi";
import { adoptSocket } from "./adopt-socket.ts";
import { fileConstants } from "./constants.ts";
import { closeQuietly } from "./descriptors.ts";
import { openSync } from "./fs.ts";
import { KEY_BYTES, KEY_PAGE } from "./key-page.ts";
import { checked, cstring, libc } from "./libc.ts";
import { machineCode, mapCode, mapMemory } from "./machine-code.ts";
import { KEYS_X64 } from "./native/keys-code.ts";
import { duplicateOf, socketPair, startThread } from "./native-thread.ts";
import { POLLIN, poller, type Watch } from "./poller.ts";
import { peerOf } from "./unix-socket.ts";

const { O_NOCTTY, O_NONBLOCK, O_RDONLY } = fileConstants;
const EFD_CLOEXEC = 0o2000000;
const EFD_NONBLOCK = 0o4000;
const EAGAIN = -11;

export interface KeyThreadOptions {
  terminal: number;
  /** Of a frame that it sends. */
  frameType: number;
  /** ASCII. */
  told: readonly number[];
  /** What was read and not sent. */
  typed(bytes: Uint8Array): void;
  /** Read the terminal: there is something, or something is wrong with it. */
  read(): void;
  maySend(): boolean;
}

export class KeyThread implements Watch {
  readonly #options: KeyThreadOptions;
  readonly #page: DataView;
  readonly #bytes: Uint8Array;
  readonly #ack: number;
  readonly #kick: number;
  readonly #watch: Watch;
  readonly #one = new BigUint64Array([1n]);
  readonly #scratch = new BigUint64Array(1);
  /** Of the connection of the moment. */
  #socket: { fd: number } | null = null;
  /** What the thread has of it: its own, so that no other gets its number. */
  #duplicate: { of: { fd: number }; fd: number } | null = null;
  #taker = 0;
  #isWanted = false;
  #isParked = false;
  #isKicked = false;
  #isHalted = false;
  #parked: () => void = () => {};

  private constructor(options: KeyThreadOptions, terminal: number) {
    this.#options = options;
    const page = mapMemory();
    const memory = toArrayBuffer(page, 0, 4096);
    this.#page = new DataView(memory);
    this.#bytes = new Uint8Array(memory, KEY_PAGE.bytes, KEY_BYTES);
    this.#ack = checked(libc().eventfd(0, EFD_CLOEXEC), "eventfd");
    this.#kick = checked(libc().eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    this.#watch = poller().watch(options.terminal, 0, () => {
      options.read();
      this.settle();
    });
    const [woken, wake] = socketPair();
    this.#page.setBigUint64(KEY_PAGE.scratch, 1n, true);
    this.#set(KEY_PAGE.wake, wake);
    this.#set(KEY_PAGE.ack, this.#ack);
    for (const [at, fd] of [
      [KEY_PAGE.kick, this.#kick],
      [KEY_PAGE.terminal, terminal],
    ] as const) {
      this.#set(at, fd);
      this.#set(at + 4, POLLIN);
    }
    for (const byte of options.told) this.#page.setUint8(KEY_PAGE.told + byte, 1);
    this.#page.setUint8(KEY_PAGE.frame + 4, options.frameType);
    startThread(mapCode(Uint8Array.fromBase64(KEYS_X64)), Number(page));
    void adoptSocket(woken, { data: () => this.#turn() });
  }

  /** Null where there is none to be had: then a watch of the poller has to do. */
  static start(options: KeyThreadOptions): KeyThread | null {
    if (process.arch !== "x64" || machineCode() === null) return null;
    try {
      // Opened once more: no read of this one ever blocks, whoever took what was there.
      const own = openSync(`/proc/self/fd/${options.terminal}`, O_RDONLY | O_NONBLOCK | O_NOCTTY);
      return new KeyThread(options, own);
    } catch {
      return null;
    }
  }

  want(events: number): void {
    this.#isWanted = events !== 0;
    this.settle();
  }

  stop(): void {
    this.#isHalted = true;
    this.settle();
    this.#watch.stop();
  }

  /** Where it sends to; null: nowhere. Another one may have the same number. */
  connect(socket: { fd: number } | null): void {
    this.#socket = socket;
    this.settle();
  }

  /** For the frames that it sends from now on. */
  shown(count: number): void {
    this.#set(KEY_PAGE.shown, count);
  }

  /** Who takes what it sends: it is woken on the processor that this thread leaves, and not on another that would have to be woken, too. */
  takenBy(thread: number): void {
    if (thread === this.#taker) return;
    this.#taker = thread;
    this.#set(KEY_PAGE.taker, thread !== 0 && this.#isOfHolder(thread) ? thread : 0);
  }

  /** By whatever number it calls itself: nobody else's thread is touched. */
  #isOfHolder(thread: number): boolean {
    const holder = this.#socket === null ? null : peerOf(this.#socket.fd);
    return holder !== null && holder.pid > 0 && libc().access(cstring(`/proc/${holder.pid}/task/${thread}`), 0) === 0;
  }

  get sent(): number {
    return this.#page.getUint32(KEY_PAGE.sent, true);
  }

  /** For good. Resolves when it sends nothing any more. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parked = resolve;
    this.settle();
    if (!this.#isParked) await promise;
  }

  /** Looks again at who is to read. */
  settle(): void {
    const mayRun = this.#isWanted && !this.#isHalted && this.#socket !== null;
    const sends = mayRun && this.#options.maySend();
    this.#watch.want(this.#isWanted && !sends ? POLLIN : 0);
    if (!this.#isParked) {
      if (!sends || this.#duplicate?.of !== this.#socket) this.#park();
      return;
    }
    this.#renew();
    if (!sends || this.#duplicate === null) return;
    this.#isParked = false;
    libc().write(this.#ack, this.#one, 8n);
  }

  #turn(): void {
    this.#isParked = true;
    const isKicked = this.#page.getUint16(KEY_PAGE.kick + 6, true) !== 0;
    if (isKicked) libc().read(this.#kick, this.#scratch, 8n);
    if (isKicked) this.#isKicked = false;
    const length = this.#page.getInt32(KEY_PAGE.length, true);
    const hasRead = this.#page.getUint16(KEY_PAGE.terminal + 6, true) !== 0 && !isKicked;
    if (length > 0) this.#options.typed(this.#bytes.slice(0, length));
    else if (hasRead && length !== EAGAIN) this.#options.read();
    this.settle();
    if (this.#isParked) this.#parked();
  }

  #park(): void {
    if (this.#isKicked) return;
    this.#isKicked = true;
    libc().write(this.#kick, this.#one, 8n);
  }

  #renew(): void {
    if ((this.#duplicate?.of ?? null) === this.#socket) return;
    if (this.#duplicate !== null) closeQuietly(this.#duplicate.fd);
    const fd = this.#socket === null ? -1 : duplicateOf(this.#socket.fd);
    this.#duplicate = this.#socket === null || fd < 0 ? null : { of: this.#socket, fd };
    this.#set(KEY_PAGE.socket, fd);
  }

  #set(at: number, value: number): void {
    this.#page.setUint32(at, value, true);
  }
}
