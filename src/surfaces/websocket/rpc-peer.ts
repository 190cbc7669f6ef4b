/** JSON-RPC 2.0 over a WebSocket: a message is a message. What the daemon's own socket can do, and its bounds, are all here (surfaces/jsonrpc/conversation.ts). */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { Conversation, type Wire } from "../jsonrpc/conversation.ts";
import type { House, Opened } from "../http/backend.ts";
import { scoped } from "../http/scope.ts";
import { hangUp } from "./hang-up.ts";
import { CLOSE, type Peer, type Socket } from "./peer.ts";
import { Tenure } from "./token-lifetime.ts";

const NEWLINE = Uint8Array.of(10);
/** While the conversation has no room for more, so much of what comes is kept for it. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;

export interface RpcOptions {
  house: House;
  opened: Opened;
  /** Who that is, for people. */
  label: string;
}

export class RpcPeer implements Peer, Wire {
  readonly #options: RpcOptions;
  readonly #conversation: Conversation;
  #tenure: Tenure | null = null;
  #socket: Socket | null = null;
  #isPaused = false;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(options: RpcOptions) {
    const { house, opened, label } = options;
    this.#options = options;
    this.#conversation = new Conversation(scoped(house.methods(opened, label), opened.scope), this);
  }

  opened(socket: Socket): void {
    const { house, opened } = this.#options;
    this.#socket = socket;
    this.#tenure = new Tenure(house, opened, () => this.#close(CLOSE.unauthorized, "the key has ended"));
  }

  message(message: string | Buffer): void {
    if (this.#socket === null) return; // it was hung up on
    const line = joined([withoutNewlines(typeof message === "string" ? bytesOf(message) : message), NEWLINE]);
    if (!this.#isPaused) return this.#conversation.receive(line);
    this.#held.push(line);
    this.#heldBytes += line.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#close(CLOSE.tooLarge, "too much was asked at once");
  }

  drained(): void {
    this.#conversation.drained();
  }

  closed(): void {
    this.#socket = null;
    this.#held = [];
    this.#tenure?.[Symbol.dispose]();
    this.#conversation.closed();
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
      this.#conversation.receive(line);
    }
  }

  end(): void {
    this.#close(CLOSE.done);
  }

  /** At once: what was asked for is given up, and nothing more is heard. */
  #close(code: number, reason?: string): void {
    const socket = this.#socket;
    this.closed();
    if (socket !== null) hangUp(socket, code, { isKnown: true, ...(reason === undefined ? {} : { reason }) });
  }
}

/** In JSON they mean nothing between tokens, and stand in no text. */
function withoutNewlines(bytes: Uint8Array): Uint8Array {
  return bytes.includes(10) ? bytes.map((byte) => (byte === 10 ? 32 : byte)) : bytes;
}
