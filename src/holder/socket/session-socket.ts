/**
 * A session's unix socket. A connection names a cursor and gets everything from there on; no
 * connection slows the command or another connection. Connection code is loaded with the first one:
 * most sessions are never followed.
 */
import type { Socket } from "bun";
import { adoptSocket } from "../../platform/native/adopt-socket.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import type { Log } from "../../platform/log/log.ts";
import { ownUid } from "../../platform/fs/own-directory.ts";
import { peerOf } from "../../platform/sockets/unix-socket.ts";
import type { SessionState } from "../../protocol/types/session.ts";
import type { BoundSocket } from "../../transcript/bound-socket.ts";
import type { Layout } from "../../transcript/layout.ts";
import type { ControllableSession } from "./control.ts";
import type { SessionConnection, SessionConnections } from "./session-connection.ts";
import type { LivePiece } from "./live-source.ts";
import { NamedListener } from "./named-listener.ts";

const MAX_CONNECTIONS = 64;
/** Output in smaller chunks is sent at once. */
const FEW_BYTES = 2048;
/** A connection made at the very end has this long to send its request. */
const LATE_MS = 20;

export interface SessionSocketOptions {
  layout: Layout;
  log: Log;
  session: ControllableSession;
  bound: BoundSocket | null;
}

export class SessionSocket {
  readonly #options: SessionSocketOptions;
  readonly #listener: NamedListener;
  readonly #connections = new Set<SessionConnection>();
  #loading: Promise<SessionConnections | null> | null = null;
  #loaded: SessionConnections | null = null;
  /** Accepted, and not open yet. */
  #arriving = 0;
  #willServe = false;
  #final: SessionState | null = null;
  #isClosed = false;

  constructor(options: SessionSocketOptions) {
    const { log, bound, session } = options;
    const { session_id, socket } = session.record.meta;
    this.#options = options;
    const accepted = (fd: number): void => void this.#accept(fd);
    this.#listener = new NamedListener({ log, bound, accepted, meta: { session_id, socket } });
  }

  async #accept(fd: number): Promise<void> {
    const peer = peerOf(fd); // null if the platform does not report it
    if (peer !== null && peer.user !== ownUid()) return closeQuietly(fd);
    this.#arriving++;
    try {
      this.#loading ??= this.#load();
      const connections = await this.#loading;
      if (connections === null || this.#isClosed) return closeQuietly(fd);
      await adoptSocket<SessionConnection>(fd, {
        open: (socket) => this.#begin(socket, connections),
        data: ({ data }, bytes) => data.receive(bytes),
        drain: ({ data }) => data.drain(),
        timeout: ({ data }) => data.timedOut(),
        end: (socket) => socket.terminate(),
        close: ({ data }) => this.#closed(data),
        error: ({ data }) => this.#closed(data),
      });
    } finally {
      this.#arriving--;
    }
  }

  /** Null if the transcript cannot be read (it was removed). */
  async #load(): Promise<SessionConnections | null> {
    const module = await import("./session-connection.ts");
    try {
      this.#loaded = new module.SessionConnections(this.#options);
      this.#loaded.source.final = this.#final;
    } catch {
      return null;
    }
    return this.#loaded;
  }

  #begin(socket: Socket<SessionConnection>, connections: SessionConnections): void {
    socket.data = connections.begin(socket);
    const most = MAX_CONNECTIONS + this.#options.session.sharing.max_clients;
    if (this.#connections.size >= most) socket.data.refuse("ERLIMIT", `more than ${most} connections`);
    else this.#connections.add(socket.data);
  }

  #closed(connection: SessionConnection): void {
    connection.closed();
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#loaded?.fresh.release();
  }

  /**
   * Serves new output, which is in the transcript already. `bytes` are valid only during the call.
   * Small chunks are sent at once; during a flood readers are served once per slice.
   */
  advance({ offset, channel, timestamp, bytes }: LivePiece): void {
    if (this.#connections.size === 0 || this.#loaded === null) return;
    const { fresh } = this.#loaded;
    if (fresh.isFull(bytes.length)) this.#serve();
    fresh.add(offset, channel, timestamp, bytes);
    if (bytes.length < FEW_BYTES) this.#serve();
    else this.#serveSoon();
  }

  #serveSoon(): void {
    if (this.#willServe) return;
    this.#willServe = true;
    queueMicrotask(() => {
      this.#willServe = false;
      this.#serve();
    });
  }

  #serve(): void {
    for (const connection of this.#connections) connection.advance();
    this.#loaded?.fresh.clear();
  }

  /** The command reads input again. */
  inputDrained(): void {
    for (const connection of this.#connections) connection.inputDrained();
  }

  rebindIfMissing(): boolean {
    return this.#listener.rebindIfMissing();
  }

  /** Records input counts before the final record: events after it are not read. */
  ending(): void {
    this.#loaded?.clients.settle();
  }

  /**
   * The session is final: sends followers the rest and END, and answers every connection that has
   * sent a request or is about to. Returns when that is done, or after `deadlineMs`; everything is
   * in the files.
   */
  async finish(state: SessionState, deadlineMs: number): Promise<void> {
    this.#final = state;
    if (this.#loaded !== null) this.#loaded.source.final = state;
    const deadline = performance.now() + deadlineMs;
    const lateUntil = performance.now() + LATE_MS;
    const early = new Set(this.#connections);
    const isWaitedFor = (each: SessionConnection): boolean =>
      each.isPending || (!early.has(each) && !each.hasRequested && performance.now() < lateUntil);
    if (!this.#listener.acceptPending()) return this.close();
    this.#serve();
    while ((this.#arriving > 0 || [...this.#connections].some(isWaitedFor)) && performance.now() < deadline) {
      await Bun.sleep(1);
      this.#serve();
    }
    await this.close();
  }

  /** Another socket may listen on the path next. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listener.close();
    for (const connection of this.#connections) connection.cut();
    (await this.#loading)?.[Symbol.dispose]();
  }
}
