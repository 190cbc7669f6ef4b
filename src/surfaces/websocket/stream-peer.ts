/** What a session prints, from a cursor on and as it happens, whatever it prints on: for programs that want bytes and no terminal. */
import { follow } from "../../client/read/follow.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { House, Opened } from "../http/backend.ts";
import { hangUp } from "./hang-up.ts";
import { CLOSE, keyEnded, MAX_UNREAD_BYTES, type Peer, type Socket } from "./peer.ts";
import { Tenure } from "./token-lifetime.ts";

export interface StreamOptions {
  house: House;
  opened: Opened;
  id: string;
  cursor: number;
}

export class StreamPeer implements Peer {
  readonly #options: StreamOptions;
  readonly #gone = new AbortController();
  #socket: Socket | null = null;
  #tenure: Tenure | null = null;
  #wake: () => void = () => {};

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    void this.#follow();
    const { house, opened: key } = this.#options;
    this.#tenure = new Tenure(house, key, () => this.#refuse(keyEnded(), CLOSE.unauthorized));
  }

  /** It has nothing to say that we would need. */
  message(): void {}

  drained(): void {
    this.#wake();
  }

  closed(): void {
    this.#socket = null;
    this.#tenure?.[Symbol.dispose]();
    this.#gone.abort();
    this.#wake();
  }

  async #follow(): Promise<void> {
    const { house, id, cursor } = this.#options;
    try {
      for await (const item of follow({ id, cursor, signal: this.#gone.signal, layout: house.sessions.layout })) {
        if (item.type === "data") {
          const { channel, bytes, timestamp } = item;
          const time = new Date(timestamp).toISOString();
          const next = String(item.cursor + bytes.length);
          this.#send({ type: "output", channel, data: bytes.toBase64(), timestamp: time, cursor: next });
        } else if (item.type === "gap") this.#send({ type: "gap", from: String(item.from), to: String(item.to) });
        else this.#end();
        await this.#room();
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
    const { exit_code, signal, state, reason, output_bytes } = this.#options.house.sessions.get(this.#options.id);
    this.#send({ type: "exit", code: exit_code, signal, state, reason, cursor: String(output_bytes) });
    this.#close(CLOSE.done);
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  async #room(): Promise<void> {
    while ((this.#socket?.getBufferedAmount() ?? 0) > MAX_UNREAD_BYTES)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}
