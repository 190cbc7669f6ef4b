/** A client of the daemon's socket in either framing, with any number of calls under way. */
import { join } from "node:path";
import type { Bench } from "../support/holt.ts";
import { until } from "./size.ts";

export type FramingName = "lines" | "headers";
export interface Answer {
  id: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data: { code: string } };
}

export class FramedCaller implements Disposable {
  readonly #framing: FramingName;
  readonly #waiting = new Map<number, (answer: Answer | null) => void>();
  #socket: Bun.Socket | null = null;
  #unsent: Uint8Array = new Uint8Array(0);
  #received = Buffer.alloc(0);
  #lastId = 0;
  #others: Answer[] = [];
  #isOver = false;

  private constructor(framing: FramingName) {
    this.#framing = framing;
  }

  static async dial(bench: Bench, framing: FramingName): Promise<FramedCaller> {
    const caller = new FramedCaller(framing);
    caller.#socket = await Bun.connect({
      unix: join(bench.state, "run", "daemon.sock"),
      socket: {
        data: (_socket, bytes) => caller.#receive(bytes),
        drain: () => caller.#flush(),
        close: () => caller.#over(),
        error: () => caller.#over(),
      },
    });
    return caller;
  }

  /** The answer; null when the connection is over. */
  async call(method: string, params: object = {}): Promise<Answer | null> {
    return this.begin(method, params).answer;
  }

  begin(method: string, params: object = {}): { id: number; answer: Promise<Answer | null> } {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    this.#waiting.set(id, resolve);
    this.send({ jsonrpc: "2.0", id, method, params });
    return { id, answer: promise };
  }

  cancel(id: number): void {
    this.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
  }

  send(message: object): void {
    const text = JSON.stringify(message);
    const framed =
      this.#framing === "lines" ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    this.write(Buffer.from(framed));
  }

  /** Whatever it is. */
  write(bytes: Uint8Array): void {
    this.#unsent = Buffer.concat([this.#unsent, bytes]);
    this.#flush();
  }

  /** So many answers that no call waits for, once they have come, and whatever came beside: since it was last asked. */
  async others(count: number): Promise<Answer[]> {
    await until(`${count} answers`, () => this.#others.length >= count);
    const others = this.#others;
    this.#others = [];
    return others;
  }

  saysNoMore(): void {
    this.#socket?.shutdown();
  }

  /** By the other side, of its own accord. */
  async isHungUpOn(): Promise<void> {
    await until("the daemon hangs up", () => this.#isOver);
  }

  [Symbol.dispose](): void {
    this.#socket?.terminate();
    this.#over();
  }

  #flush(): void {
    if (this.#unsent.length > 0)
      this.#unsent = this.#unsent.subarray(Math.max(0, this.#socket?.write(this.#unsent) ?? 0));
  }

  #receive(bytes: Uint8Array): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let message = this.#next(); message !== null; message = this.#next()) {
      const all = JSON.parse(message) as Answer | Answer[];
      for (const answer of Array.isArray(all) ? all : [all]) {
        const waiting = this.#waiting.get(answer.id);
        waiting?.(answer);
        if (waiting === undefined && !("method" in answer)) this.#others.push(answer);
        this.#waiting.delete(answer.id);
      }
    }
  }

  #next(): string | null {
    const [start, end] = this.#framing === "lines" ? this.#line() : this.#body();
    if (end < 0 || end > this.#received.length) return null;
    const message = this.#received.toString("utf8", start, end);
    this.#received = this.#received.subarray(this.#framing === "lines" ? end + 1 : end);
    return message;
  }

  #line(): [number, number] {
    return [0, this.#received.indexOf(10)];
  }

  #body(): [number, number] {
    const head = this.#received.indexOf("\r\n\r\n");
    if (head < 0) return [0, -1];
    const length = Number(/Content-Length: (\d+)/.exec(this.#received.toString("latin1", 0, head))?.[1]);
    return [head + 4, head + 4 + length];
  }

  #over(): void {
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
    this.#isOver = true;
  }
}
