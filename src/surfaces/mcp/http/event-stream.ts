/** The event stream of a client of the older era: notifications for its subscriptions. While the client does not read, equal notifications wait as one. */
import { bytesOf } from "../../../protocol/types/bytes.ts";

/** More often than the server lets go of a silent connection. */
const KEEP_ALIVE_MS = 4000;

export class EventStream implements Disposable {
  readonly #pending = new Map<string, string>([["open", ": open\n\n"]]);
  readonly #alive = setInterval(() => this.#add("alive", ": alive\n\n"), KEEP_ALIVE_MS);
  readonly #onEnd: () => void;
  #isOver = false;
  #wake: () => void = () => {};

  /** `over` is called once, when the client reads no more or the stream is disposed of. */
  constructor(over: () => void) {
    this.#onEnd = over;
  }

  response(): Response {
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (this.#pending.size === 0 && !this.#isOver) await new Promise<void>((wake) => (this.#wake = wake));
        if (this.#isOver) return controller.close();
        controller.enqueue(bytesOf([...this.#pending.values()].join("")));
        this.#pending.clear();
      },
      cancel: () => this[Symbol.dispose](),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  tell(method: string, params: object = {}): void {
    const message = JSON.stringify({ jsonrpc: "2.0", method, params });
    this.#add(message, `event: message\ndata: ${message}\n\n`);
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#alive);
    this.#wake();
    this.#onEnd();
  }

  #add(key: string, frame: string): void {
    this.#pending.set(key, frame);
    this.#wake();
  }
}
