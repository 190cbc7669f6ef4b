/** One accepted connection: its bytes to a conversation, and the conversation's answers back. */
import { joined } from "../protocol/bytes.ts";
import { Conversation, type Methods, type Wire } from "../surfaces/jsonrpc/conversation.ts";
import { adoptSocket } from "../platform/adopt-socket.ts";

export class Connection implements Wire {
  readonly #closed: () => void;
  readonly #conversation: Conversation;
  #socket: Bun.Socket | null = null;
  #unsent: Uint8Array = new Uint8Array(0);
  #isEnding = false;

  private constructor(methods: Methods, closed: () => void) {
    this.#conversation = new Conversation(methods, this);
    this.#closed = closed;
  }

  static async open(fd: number, methods: Methods, closed: () => void): Promise<Connection> {
    const connection = new Connection(methods, closed);
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
    return this.#unsent.length;
  }

  send(bytes: Uint8Array): void {
    this.#unsent = this.#unsent.length === 0 ? bytes : joined([this.#unsent, bytes]);
    this.#write();
  }

  pause(paused: boolean): void {
    if (paused) this.#socket?.pause();
    else this.#socket?.resume();
  }

  end(): void {
    this.#isEnding = true;
    if (this.#unsent.length === 0) this.#socket?.end();
  }

  terminate(): void {
    this.#socket?.terminate();
  }

  #write(): void {
    if (this.#unsent.length === 0) return;
    const written = Math.max(0, this.#socket?.write(this.#unsent) ?? 0);
    this.#unsent = this.#unsent.subarray(written);
  }

  #flush(): void {
    this.#write();
    if (this.#unsent.length > 0) return;
    if (this.#isEnding) this.#socket?.end();
    this.#conversation.drained();
  }

  #close(): void {
    if (this.#socket === null) return;
    this.#socket = null;
    this.#conversation.closed();
    this.#closed();
  }
}
