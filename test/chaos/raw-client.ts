/** Somebody at a holder's socket who may say anything. */
import { connect, type Socket } from "node:net";
import { errnoOf } from "../../src/protocol/types/errors.ts";
import { encodeJsonFrame, FRAME, type Frame, FrameParser } from "../../src/protocol/wire/frames.ts";
import { until } from "./size.ts";

export const HELLO = encodeJsonFrame(FRAME.hello, { protocol: 1, holt_version: "test" });

export function followFrom(cursor: string): Uint8Array {
  return encodeJsonFrame(FRAME.follow, { cursor });
}

export class RawClient implements Disposable {
  readonly #socket: Socket;
  readonly frames: Frame[] = [];
  bytes = 0;
  readonly #closed = Promise.withResolvers<void>();
  isClosed = false;

  private constructor(socket: Socket, reads: boolean) {
    this.#socket = socket;
    const parser = new FrameParser();
    if (reads)
      socket.on("data", (bytes) => {
        this.bytes += bytes.length;
        this.frames.push(...parser.push(Buffer.from(bytes)));
      });
    socket.on("close", () => {
      this.isClosed = true;
      this.#closed.resolve();
    });
    socket.on("error", () => {}); // EPIPE, when the holder has had enough
  }

  static async dial(path: string, { reads = true } = {}): Promise<RawClient> {
    for (let tries = 1; ; tries++) {
      const socket = connect(path);
      const client = new RawClient(socket, reads);
      const refusal = await new Promise<Error | null>((resolve) => {
        socket.once("connect", () => resolve(null));
        socket.once("error", resolve);
      });
      const errno = errnoOf(refusal);
      // A holder that has enough readers may have hung up already.
      if (refusal === null || errno === "ECONNRESET") return client;
      socket.destroy();
      // The name of a socket is there a moment before anybody listens.
      if (errno !== "ECONNREFUSED" || tries === 100) throw refusal;
      await Bun.sleep(2);
    }
  }

  /** Resolves when the kernel has taken it, or the holder has hung up. */
  async say(...parts: Uint8Array[]): Promise<void> {
    for (const part of parts) {
      if (this.isClosed) return;
      const taken = new Promise<void>((resolve) => void this.#socket.write(part, () => resolve()));
      await Promise.race([taken, this.#closed.promise]);
    }
  }

  async hears(type: number): Promise<void> {
    await until(`a frame of type ${type}`, () => this.frames.some((frame) => frame.type === type));
  }

  async isHungUpOn(): Promise<void> {
    this.#socket.resume();
    await until("the holder hangs up", () => this.isClosed);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
