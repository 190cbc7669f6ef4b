/**
 * The server-sent events of a client of the older protocol era: notifications for its
 * subscriptions. Equal notifications that the client has not read are sent once.
 */
import { bytesOf } from "../../../protocol/types/bytes.ts";

/** More often than the server closes idle connections. */
const KEEP_ALIVE_MS = 4000;

export class EventStream implements Disposable {
  readonly #pending = new Map<string, string>([["open", ": open\n\n"]]);
  readonly #alive = setInterval(() => this.#add("alive", ": alive\n\n"), KEEP_ALIVE_MS);
  readonly #onEnd: () => void;
  #isEnded = false;
  #wake: () => void = () => {};

  /** `onEnd` is called once, when the client disconnects or the stream is disposed. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  response(): Response {
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (this.#pending.size === 0 && !this.#isEnded) await new Promise<void>((wake) => (this.#wake = wake));
        if (this.#isEnded) return controller.close();
        controller.enqueue(bytesOf([...this.#pending.values()].join("")));
        this.#pending.clear();
      },
      cancel: () => this[Symbol.dispose](),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  notify(method: string, params: object = {}): void {
    const message = JSON.stringify({ jsonrpc: "2.0", method, params });
    this.#add(message, `event: message\ndata: ${message}\n\n`);
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#alive);
    this.#wake();
    this.#onEnd();
  }

  #add(key: string, frame: string): void {
    this.#pending.set(key, frame);
    this.#wake();
  }
}
