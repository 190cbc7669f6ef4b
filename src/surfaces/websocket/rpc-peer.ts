/**
 * JSON-RPC 2.0 over a WebSocket, one message per frame, with the bounds of the daemon's own socket
 * (surfaces/jsonrpc/rpc-connection.ts).
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { RpcConnection, type RpcTransport } from "../jsonrpc/rpc-connection.ts";
import type { HttpBackend, Grant } from "../http/backend.ts";
import { limitToScope } from "../http/scope.ts";
import { hangUp } from "./hang-up.ts";
import { CLOSE, type Peer, type Socket } from "./peer.ts";
import { TokenLifetime } from "./token-lifetime.ts";

const NEWLINE = Uint8Array.of(10);
/** Messages kept while the connection is paused. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

export interface RpcOptions {
  backend: HttpBackend;
  grant: Grant;
  /** The client's label, shown to users. */
  label: string;
}

export class RpcPeer implements Peer, RpcTransport {
  readonly #options: RpcOptions;
  readonly #connection: RpcConnection;
  #tokenLifetime: TokenLifetime | null = null;
  #socket: Socket | null = null;
  #isPaused = false;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(options: RpcOptions) {
    const { backend, grant, label } = options;
    this.#options = options;
    this.#connection = new RpcConnection(limitToScope(backend.methodsFor(grant, label), grant.scope), this);
  }

  opened(socket: Socket): void {
    const { backend, grant } = this.#options;
    this.#socket = socket;
    this.#tokenLifetime = new TokenLifetime(backend, grant, () =>
      this.#close(CLOSE.unauthorized, "the key has expired"),
    );
  }

  message(message: string | Buffer): void {
    if (this.#socket === null) return; // the socket is closing
    const line = joined([withoutNewlines(typeof message === "string" ? bytesOf(message) : message), NEWLINE]);
    if (!this.#isPaused) return this.#connection.receive(line);
    this.#held.push(line);
    this.#heldBytes += line.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#close(CLOSE.tooLarge, "too many calls at once");
  }

  drained(): void {
    this.#connection.drained();
  }

  closed(): void {
    this.#socket = null;
    this.#held = [];
    this.#tokenLifetime?.[Symbol.dispose]();
    this.#connection.closed();
  }

  send(text: string): void {
    for (const message of text.split("\n")) if (message !== "") this.#socket?.send(message);
  }

  get unread(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  pause(paused: boolean): void {
    this.#isPaused = paused;
    while (!this.#isPaused && this.#held.length > 0) {
      const line = this.#held.shift() ?? NEWLINE;
      this.#heldBytes -= line.length;
      this.#connection.receive(line);
    }
  }

  end(): void {
    this.#close(CLOSE.done);
  }

  /** Ends at once: running calls are canceled and further messages ignored. */
  #close(code: number, reason?: string): void {
    const socket = this.#socket;
    this.closed();
    if (socket !== null) hangUp(socket, code, { isKnown: true, ...(reason === undefined ? {} : { reason }) });
  }
}

/**
 * Newlines separate messages. In JSON they are white space between tokens and never occur inside
 * strings.
 */
function withoutNewlines(bytes: Uint8Array): Uint8Array {
  return bytes.includes(10) ? bytes.map((byte) => (byte === 10 ? 32 : byte)) : bytes;
}
