/** Writes whatever bytes it likes to the daemon's socket, and reads lines back. */
import { join } from "node:path";
import type { Bench } from "../support/holt.ts";

export class RawCaller implements Disposable {
  readonly #socket: Bun.Socket;
  readonly #lines: string[];
  readonly #state: { partial: string; isClosed: boolean; wake: () => void };

  private constructor(
    socket: Bun.Socket,
    lines: string[],
    state: { partial: string; isClosed: boolean; wake: () => void },
  ) {
    this.#socket = socket;
    this.#lines = lines;
    this.#state = state;
  }

  static async dial(bench: Bench): Promise<RawCaller> {
    const lines: string[] = [];
    const state = { partial: "", isClosed: false, wake: () => {} };
    const socket = await Bun.connect({
      unix: join(bench.state, "run", "daemon.sock"),
      socket: {
        data(_socket, bytes) {
          const parts = (state.partial + bytes.toString()).split("\n");
          state.partial = parts.pop() ?? "";
          lines.push(...parts);
          state.wake();
        },
        close() {
          state.isClosed = true;
          state.wake();
        },
        error() {},
      },
    });
    return new RawCaller(socket, lines, state);
  }

  get isClosed(): boolean {
    return this.#state.isClosed;
  }

  /** All of it, however slowly the other side reads. */
  async write(data: string | Uint8Array): Promise<void> {
    let rest = Buffer.from(data as string);
    while (rest.length > 0 && !this.isClosed) {
      rest = rest.subarray(Math.max(0, this.#socket.write(rest)));
      if (rest.length > 0) await Bun.sleep(1);
    }
    this.#socket.flush();
  }

  /** The next line as JSON; null when the other side hung up. */
  async next(): Promise<unknown> {
    while (this.#lines.length === 0 && !this.isClosed)
      await new Promise<void>((resolve) => {
        this.#state.wake = resolve;
      });
    const line = this.#lines.shift();
    return line === undefined ? null : JSON.parse(line);
  }

  shutdown(): void {
    this.#socket.shutdown();
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}

export function request(id: unknown, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
}
