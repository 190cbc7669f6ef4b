/**
 * One accepted connection: its bytes go to a conversation, and answers of one turn go back in one
 * write.
 */
import { bytesOf } from "../../protocol/types/bytes.ts";
import type { Methods } from "../../surfaces/jsonrpc/calls.ts";
import { RpcConnection, type RpcTransport } from "../../surfaces/jsonrpc/rpc-connection.ts";
import { adoptSocket } from "../../platform/native/adopt-socket.ts";
import { POLLHUP, pollNow } from "../../platform/native/poller.ts";
import { WriteQueue } from "../../platform/sockets/write-queue.ts";

const HANG_UP_POLL_MS = 250;
/**
 * Below a conversation's own limit: the rest then waits in the socket, which reports when it
 * drains.
 */
const MAX_BUFFERED = 64 * 1024;

export interface ConnectionParts {
  methods: Methods;
  closed: () => void;
}

export class Connection implements RpcTransport {
  readonly #fd: number;
  readonly #closed: () => void;
  readonly #conversation: RpcConnection;
  #socket: Bun.Socket | null = null;
  /** Answers to be written together. */
  #answers = "";
  readonly #unsent = new WriteQueue((bytes) => this.#socket?.write(bytes) ?? -1);
  #isEnding = false;
  #hangUpPoll: ReturnType<typeof setInterval> | null = null;

  private constructor(fd: number, { methods, closed }: ConnectionParts) {
    this.#fd = fd;
    this.#conversation = new RpcConnection(methods, this);
    this.#closed = closed;
  }

  static async open(fd: number, parts: ConnectionParts): Promise<Connection> {
    const connection = new Connection(fd, parts);
    await adoptSocket(fd, {
      open: (socket) => {
        connection.#socket = socket;
      },
      data: (_socket, bytes) => connection.#conversation.receive(bytes),
      drain: () => connection.#flush(),
      end: () => connection.#conversation.ended(),
      close: () => connection.#close(),
      error: () => connection.#close(),
    });
    return connection;
  }

  get unread(): number {
    return this.#unsent.length + this.#answers.length;
  }

  send(text: string): void {
    if (this.#answers === "") queueMicrotask(() => this.#write());
    this.#answers += text;
    if (this.#answers.length > MAX_BUFFERED) this.#write();
  }

  /** Bun reports no hang-up on a paused connection: it is polled for. */
  pause(paused: boolean): void {
    if (paused) this.#socket?.pause();
    else this.#socket?.resume();
    if (this.#hangUpPoll !== null) clearInterval(this.#hangUpPoll);
    this.#hangUpPoll =
      paused && this.#socket !== null ? setInterval(() => this.#checkHangUp(), HANG_UP_POLL_MS).unref() : null;
  }

  end(): void {
    this.#isEnding = true;
    this.#write();
    if (this.#unsent.length === 0) this.#socket?.end();
  }

  terminate(): void {
    this.#socket?.terminate();
  }

  #write(): void {
    if (this.#answers === "") return;
    const answers = bytesOf(this.#answers);
    this.#answers = "";
    this.#unsent.send(answers);
  }

  #flush(): void {
    if (!this.#unsent.drain()) return;
    if (this.#isEnding) this.#socket?.end();
    this.#conversation.drained();
  }

  #checkHangUp(): void {
    if ((pollNow(this.#fd, 0) & POLLHUP) === 0) return;
    this.#socket?.terminate();
    this.#close();
  }

  #close(): void {
    if (this.#socket === null) return;
    this.#socket = null;
    if (this.#hangUpPoll !== null) clearInterval(this.#hangUpPoll);
    this.#conversation.closed();
    this.#closed();
  }
}
