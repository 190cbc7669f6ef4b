/** One connection to the daemon's socket, with nothing that only Bun has: calls, and what the daemon tells without being asked. */
import { createConnection, type Socket } from "node:net";
import { socketIdentity } from "./socket-identity.ts";
import { DaemonCalls } from "../protocol/wire/daemon-calls.ts";
import type { DaemonNotification } from "../protocol/wire/json-rpc.ts";

export class Connection {
  readonly #socket: Socket;
  readonly #calls = new DaemonCalls({
    write: (line) => void this.#socket.write(line),
    close: () => this.close(),
    noticed: (notice) => this.noticed(notice),
  });
  #holds = 0;
  /** Told whatever the daemon says by itself, and null when it has hung up. */
  noticed: (notice: DaemonNotification | null) => void = () => {};
  /** Told once, after that. */
  closed: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text) => this.#calls.receive(String(text)));
    socket.on("close", () => this.#closed());
  }

  /** Null when no daemon listens there; EDENIED where another user's program may. Checked again once connected, before anything is sent. */
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

  /** Whether the daemon may say more: what is not read waits with it, and costs nobody memory. */
  flow(flows: boolean): void {
    if (flows) this.#socket.resume();
    else this.#socket.pause();
  }

  /** Something is waited for. A connection that is open, but has nothing to wait for, keeps no program running. */
  hold(): void {
    if (this.#holds++ === 0) this.#socket.ref();
  }

  release(): void {
    if (--this.#holds === 0) this.#socket.unref();
  }

  close(): void {
    this.#socket.destroy();
    this.#closed();
  }

  #closed(): void {
    if (this.isClosed) return;
    this.#calls.closed();
    this.noticed(null);
    this.closed();
  }
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.on("error", () => resolve(null)); // of errors later, "close" tells
    socket.once("connect", () => resolve(socket));
  });
}
