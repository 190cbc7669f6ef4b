/** A JSON-RPC connection whose client is the test. */
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import type { Methods } from "../../src/surfaces/jsonrpc/calls.ts";
import { RpcConnection, type RpcTransport } from "../../src/surfaces/jsonrpc/rpc-connection.ts";
import type { Clock } from "../../src/surfaces/jsonrpc/turn-budget.ts";

export class TestClient implements RpcTransport {
  readonly connection: RpcConnection;
  readonly over = Promise.withResolvers<void>();
  /** The ids of the answers. */
  readonly answered: number[] = [];
  readonly sent: string[] = [];
  isPaused = false;
  /** Characters sent and not read. */
  unread = 0;
  readonly #reads: "all" | "nothing";

  /** `reads`: the client reads everything at once, or nothing. `clock`: measures the turns. */
  constructor(methods: Methods, reads: "all" | "nothing" = "all", clock?: Clock) {
    this.#reads = reads;
    this.connection = new RpcConnection(methods, this, clock);
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
