/** One connection to the daemon's socket, with nothing that only Bun has: calls, and what the daemon tells without being asked. */
import { createConnection, type Socket } from "node:net";
import { ownSocket } from "./own-socket.ts";
import { HoltError } from "../protocol/errors.ts";
import { type Notice, notificationLine, parseMessage, refusedUnknown, requestLine } from "../protocol/wire.ts";

interface Pending {
  resolve(result: unknown): void;
  reject(error: HoltError): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #unread = "";
  #isClosed = false;
  #holds = 0;
  /** Told whatever the daemon says by itself, and null when it has hung up. */
  noticed: (notice: Notice | null) => void = () => {};
  /** Told once, after that. */
  closed: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text) => this.#receive(String(text)));
    socket.on("close", () => this.#closed());
  }

  /** Null when no daemon listens there; EDENIED where another user's program may. Checked again once connected, before anything is sent. */
  static async dial(path: string): Promise<Connection | null> {
    const before = ownSocket(path);
    if (before === null) return null;
    const socket = await connected(path);
    if (socket === null) return null;
    try {
      if (ownSocket(path) === before) return new Connection(socket);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    socket.destroy(); // the daemon was replaced meanwhile: the next attempt finds the new one
    return null;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  call(method: string, params: object, signal: AbortSignal | null): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(lost());
      if (signal?.aborted) return reject(canceled(method));
      const id = ++this.#lastId;
      const line = requestLine(id, method, params); // throws: nothing is waited for yet
      const cancel = (): void => void this.#socket.write(notificationLine("$/cancelRequest", { id }));
      signal?.addEventListener("abort", cancel, { once: true });
      this.hold();
      const over = (): void => {
        this.release();
        signal?.removeEventListener("abort", cancel);
      };
      this.#pending.set(id, {
        resolve: (result) => {
          over();
          resolve(result);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      this.#socket.write(line);
    });
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

  #receive(text: string): void {
    const lines = (this.#unread + text).split("\n");
    this.#unread = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    try {
      const message = parseMessage(line);
      if ("method" in message) return this.noticed(message);
      if (message.id === null && "error" in message.outcome) return this.#refused(message.outcome.error);
      const pending = this.#pending.get(Number(message.id));
      this.#pending.delete(Number(message.id));
      if ("error" in message.outcome) pending?.reject(message.outcome.error);
      else pending?.resolve(message.outcome.result);
    } catch {
      this.close(); // not the protocol
    }
  }

  /** It cannot be told which of them, and that one would wait for ever. */
  #refused(error: HoltError): void {
    this.#failAll(refusedUnknown(error, this.#pending.size));
  }

  #failAll(error: HoltError): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failAll(lost());
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

function lost(): HoltError {
  return new HoltError("EIO", "the daemon hung up", {
    hint: "sessions live on; the call may have been carried out, so look before you repeat it",
  });
}

function canceled(method: string): HoltError {
  return new HoltError("ECANCELED", `${method} was canceled`);
}
