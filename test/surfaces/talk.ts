/** A conversation whose other side is the test. */
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { RpcConnection, type RpcTransport } from "../../src/surfaces/jsonrpc/rpc-connection.ts";
import type { Clock } from "../../src/surfaces/jsonrpc/turn-budget.ts";

export class Talk implements RpcTransport {
  readonly conversation: RpcConnection;
  readonly over = Promise.withResolvers<void>();
  /** The ids. */
  readonly answered: number[] = [];
  readonly sent: string[] = [];
  isPaused = false;
  /** What nobody has read. */
  unread = 0;
  readonly #reads: "all" | "nothing";

  /** `reads`: as fast as it is answered, or nothing. `clock`: by which its turns are measured. */
  constructor(methods: Methods, reads: "all" | "nothing" = "all", clock?: Clock) {
    this.#reads = reads;
    this.conversation = new RpcConnection(methods, this, clock);
  }

  send(text: string): void {
    this.sent.push(text);
    this.answered.push((JSON.parse(text.slice(text.search(/[[{]/))) as { id: number }).id);
    if (this.#reads === "nothing") this.unread += text.length;
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  end(): void {
    this.over.resolve();
  }
}

export const lines = (calls: number, method = "x"): Uint8Array =>
  bytesOf(Array.from({ length: calls }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}\n`).join(""));
