/**
 * One connection to the daemon's socket: calls and notifications. Uses nothing that only Bun has.
 */
import { createConnection, type Socket } from "node:net";
import { socketIdentity } from "./socket-identity.ts";
import { DaemonCalls } from "../protocol/wire/daemon-calls.ts";
import type { DaemonNotification } from "../protocol/wire/json-rpc.ts";

export class Connection {
  readonly #socket: Socket;
  readonly #calls = new DaemonCalls({
    write: (line) => void this.#socket.write(line),
    close: () => this.close(),
    onNotification: (notification) => this.onNotification(notification),
  });
  #holds = 0;
  /** Receives each notification, and null when the connection closes. */
  onNotification: (notification: DaemonNotification | null) => void = () => {};
  /** Called once after that. */
  onClose: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text) => this.#calls.receive(String(text)));
    socket.on("close", () => this.#finish());
  }

  /**
   * Null if no daemon listens there; EDENIED if another user's program may listen. The socket is
   * checked again after connecting, before anything is sent.
   */
  static async dial(path: string): Promise<Connection | null> {
    const before = socketIdentity(path);
    if (before === null) return null;
    const socket = await connected(path);
    if (socket === null) return null;
    try {
      if (socketIdentity(path) === before) return new Connection(socket);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    socket.destroy(); // the daemon was replaced meanwhile: the next attempt finds the new one
    return null;
  }

  get isClosed(): boolean {
    return this.#calls.isClosed;
  }

  async call(method: string, params: object, signal: AbortSignal | null): Promise<unknown> {
    this.hold();
    try {
      return await this.#calls.call(method, params, null, { signal });
    } finally {
      this.release();
    }
  }

  /** Starts or stops reading; unread data waits in the daemon and takes no memory here. */
  flow(flows: boolean): void {
    if (flows) this.#socket.resume();
    else this.#socket.pause();
  }

  /** Keeps the program running while something is awaited; an open, idle connection does not. */
  hold(): void {
    if (this.#holds++ === 0) this.#socket.ref();
  }

  release(): void {
    if (--this.#holds === 0) this.#socket.unref();
  }

  close(): void {
    this.#socket.destroy();
    this.#finish();
  }

  #finish(): void {
    if (this.isClosed) return;
    this.#calls.closed();
    this.onNotification(null);
    this.onClose();
  }
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.on("error", () => resolve(null)); // later errors are reported by "close"
    socket.once("connect", () => resolve(socket));
  });
}
