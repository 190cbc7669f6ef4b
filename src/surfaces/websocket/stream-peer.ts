/**
 * Streams a session's output from a cursor on as JSON messages, for programs that need bytes and no
 * terminal.
 */
import { follow } from "../../client/read/follow.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { HttpBackend, Grant } from "../http/backend.ts";
import { hangUp } from "./hang-up.ts";
import { CLOSE, invalidKey, MAX_UNREAD_BYTES, type Peer, type Socket } from "./peer.ts";
import { TokenLifetime } from "./token-lifetime.ts";

export interface StreamOptions {
  backend: HttpBackend;
  grant: Grant;
  id: string;
  cursor: number;
}

export class StreamPeer implements Peer {
  readonly #options: StreamOptions;
  readonly #closed = new AbortController();
  #socket: Socket | null = null;
  #tokenLifetime: TokenLifetime | null = null;
  #wake: () => void = () => {};

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    void this.#follow();
    const { backend, grant: key } = this.#options;
    this.#tokenLifetime = new TokenLifetime(backend, key, () => this.#refuse(invalidKey(), CLOSE.unauthorized));
  }

  /** Messages of the client are ignored. */
  message(): void {}

  drained(): void {
    this.#wake();
  }

  closed(): void {
    this.#socket = null;
    this.#tokenLifetime?.[Symbol.dispose]();
    this.#closed.abort();
    this.#wake();
  }

  async #follow(): Promise<void> {
    const { backend, id, cursor } = this.#options;
    try {
      for await (const item of follow({ id, cursor, signal: this.#closed.signal, layout: backend.sessions.layout })) {
        if (item.type === "data") {
          const { channel, bytes, timestamp } = item;
          const time = new Date(timestamp).toISOString();
          const next = String(item.cursor + bytes.length);
          this.#send({ type: "output", channel, data: bytes.toBase64(), timestamp: time, cursor: next });
        } else if (item.type === "gap") this.#send({ type: "gap", from: String(item.from), to: String(item.to) });
        else this.#end();
        await this.#untilRead();
      }
    } catch (error) {
      this.#refuse(error instanceof HoltError ? error : new HoltError("EINTERNAL", String(error)), CLOSE.internal);
    }
  }

  #refuse({ code, message, hint }: HoltError, close: number): void {
    this.#send({ type: "error", code, message, hint });
    this.#close(close);
  }

  #close(code: number): void {
    const socket = this.#socket;
    this.closed();
    if (socket !== null) hangUp(socket, code, { isKnown: true });
  }

  #end(): void {
    const { exit_code, signal, state, reason, output_bytes } = this.#options.backend.sessions.get(this.#options.id);
    this.#send({ type: "exit", code: exit_code, signal, state, reason, cursor: String(output_bytes) });
    this.#close(CLOSE.done);
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  async #untilRead(): Promise<void> {
    while ((this.#socket?.getBufferedAmount() ?? 0) > MAX_UNREAD_BYTES)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}
