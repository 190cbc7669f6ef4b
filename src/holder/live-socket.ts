/**
 * The holder's unix socket: whoever connects names a cursor and gets everything from there, and then live. Each connection
 * is only a cursor that may lag: nothing it does can slow the command or another reader.
 *
 * Most sessions are never followed live, so what talks to a follower is loaded with the first connection.
 */
import type { Socket } from "bun";
import { adoptSocket } from "../platform/adopt-socket.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { unlinkIfThere } from "../platform/fs.ts";
import { Listener } from "../platform/listener.ts";
import { ownUid } from "../platform/own-directory.ts";
import { peerOf } from "../platform/unix-socket.ts";
import { entryStat, kindOf } from "../platform/stat.ts";
import type { SessionState } from "../protocol/session.ts";
import { listenAt } from "../transcript/bound-socket.ts";
import type { Layout } from "../transcript/layout.ts";
import type { TranscriptWriter } from "../transcript/writer.ts";
import type { Controlled } from "./control.ts";
import type { Conversation, Conversations } from "./conversations.ts";
import type { FreshOutput } from "./fresh-output.ts";
import type { Piece } from "./live-source.ts";

const MAX_CONNECTIONS = 64;
/** Less than this at once is no flood. */
const FEW_BYTES = 2048;
/** Who connects at the very end has so long to say what for. */
const LATE_MS = 20;

interface Connection {
  socket: Socket<Connection>;
  /** Null until the code is loaded. */
  conversation: Conversation | null;
  early: Uint8Array[];
}

export interface LiveSocketOptions {
  path: string;
  /** Listens there. */
  listener: number;
  sessionId: string;
  layout: Layout;
  writer: TranscriptWriter;
  session: Controlled;
}

export class LiveSocket {
  readonly #options: LiveSocketOptions;
  readonly #connections = new Set<Connection>();
  #conversations: Promise<Conversations | null> | null = null;
  #loaded: Conversations | null = null;
  #fresh: FreshOutput | null = null;
  #listener: Listener | null = null;
  #final: SessionState | null = null;
  #scheduled = false;
  /** Accepted, and not yet open. */
  #arriving = 0;

  constructor(options: LiveSocketOptions) {
    this.#options = options;
    this.#listenOn(options.listener);
  }

  /** Somebody's cleaner may have removed the socket from under us. */
  get missing(): boolean {
    try {
      const entry = entryStat(this.#options.path);
      return entry === null || kindOf(entry) !== "socket";
    } catch {
      return true;
    }
  }

  rebind(): void {
    const fresh = listenAt(this.#options.path);
    this.#listener?.look(); // who found the old name in time
    this.#listener?.[Symbol.dispose]();
    this.#listenOn(fresh);
  }

  /** New bytes, lent, are in the transcript. Of a few somebody waits for each; in a flood readers are served when a slice of it is over. */
  advance({ offset, channel, timestamp, bytes }: Piece): void {
    if (this.#connections.size === 0) return;
    if (this.#fresh?.isFull(bytes.length) === true) this.#serve();
    this.#fresh?.add(offset, channel, timestamp, bytes);
    if (bytes.length < FEW_BYTES) this.#serve();
    else this.#serveSoon();
  }

  /** The command takes input again. */
  inputDrained(): void {
    for (const { conversation } of this.#connections) conversation?.inputDrained();
  }

  /** What is known of who typed is written down before the last word about the session: whoever hears that looks, and does not look again. */
  ending(): void {
    this.#loaded?.ending();
  }

  /** The session is final: followers get the rest and END, and who has asked, or comes this moment and is about to, an answer. Returns when they have it, or after `deadlineMs`; the file has it all. */
  async finish(state: SessionState, deadlineMs: number): Promise<void> {
    this.#final = state;
    const deadline = performance.now() + deadlineMs;
    const lateUntil = performance.now() + LATE_MS;
    const early = new Set(this.#connections);
    const isAboutToAsk = (connection: Connection): boolean =>
      !early.has(connection) && connection.conversation?.hasAsked !== true && performance.now() < lateUntil;
    const isOwed = (connection: Connection): boolean => connection.conversation?.isOwed ?? true;
    const waiting = (): boolean =>
      this.#arriving > 0 || [...this.#connections].some((each) => isOwed(each) || isAboutToAsk(each));
    this.#listener?.look();
    this.#serve();
    while (waiting() && performance.now() < deadline) {
      await Bun.sleep(1);
      this.#serve();
    }
    await this.close();
  }

  async close(): Promise<void> {
    this.#listener?.[Symbol.dispose]();
    this.#listener = null;
    for (const { socket } of this.#connections) socket.terminate();
    try {
      unlinkIfThere(this.#options.path);
    } catch {
      // A name that nobody answers at; it goes with its session.
    }
    (await this.#conversations)?.[Symbol.dispose]();
  }

  #listenOn(listener: number): void {
    this.#listener = new Listener({
      listener,
      accepted: (fd) => void this.#accept(fd),
      refused() {}, // whoever it is waits, and nobody else is told
    });
  }

  async #accept(fd: number): Promise<void> {
    const peer = peerOf(fd); // null where the platform does not tell
    if (peer !== null && peer.user !== ownUid()) return closeQuietly(fd);
    this.#arriving++;
    try {
      await this.#adopt(fd);
    } finally {
      this.#arriving--;
    }
  }

  async #adopt(fd: number): Promise<void> {
    await adoptSocket<Connection>(fd, {
      open: (socket) => void this.#open(socket),
      data: ({ data }, bytes) => {
        if (data.conversation === null) data.early.push(Uint8Array.from(bytes));
        else data.conversation.receive(bytes, this.#final);
      },
      drain: ({ data }) => data.conversation?.drain(this.#final),
      timeout: ({ data }) => data.conversation?.timedOut(),
      end: (socket) => socket.terminate(),
      close: ({ data }) => this.#closed(data),
      error: ({ data }) => this.#closed(data),
    });
  }

  #closed(connection: Connection): void {
    if (this.#connections.delete(connection)) connection.conversation?.closed();
    if (this.#connections.size === 0) this.#fresh?.release();
  }

  async #open(socket: Socket<Connection>): Promise<void> {
    const connection: Connection = { socket, conversation: null, early: [] };
    socket.data = connection;
    const most = MAX_CONNECTIONS + this.#options.session.sharing.maxClients;
    const isRefused = this.#connections.size >= most;
    if (!isRefused) this.#connections.add(connection);
    this.#conversations ??= this.#load();
    const conversation = (await this.#conversations)?.begin(socket);
    if (conversation === undefined) {
      socket.end();
      return;
    }
    if (isRefused) {
      conversation.refuse("ERLIMIT", `more than ${most} connections`);
      return;
    }
    for (const bytes of connection.early.splice(0)) conversation.receive(bytes, this.#final);
    connection.conversation = conversation;
  }

  /** Null when the transcript cannot be read (somebody removed it): then there is nothing to say. */
  async #load(): Promise<Conversations | null> {
    const module = await import("./conversations.ts");
    try {
      const conversations = new module.Conversations(this.#options);
      this.#loaded = conversations;
      this.#fresh = conversations.fresh;
      return conversations;
    } catch {
      return null;
    }
  }

  #serveSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#serve();
    });
  }

  #serve(): void {
    for (const { conversation } of this.#connections) conversation?.advance(this.#final);
    this.#fresh?.clear();
  }
}
