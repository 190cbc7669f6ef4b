/** A batch of a thousand calls used to run all at once, where a thousand lines run 64 at a time: one line could keep a daemon from everybody else. */
import { expect, test } from "bun:test";
import { bytesOf } from "../../src/protocol/types/bytes.ts";
import { RpcConnection } from "../../src/surfaces/jsonrpc/rpc-connection.ts";

const LIMIT = 64;

test("the calls of batches count one by one, and are answered as one, in their order", async () => {
  const sent: { id: number }[][] = [];
  const under: (() => void)[] = [];
  let most = 0;
  const ending = { isSo: false };
  const methods = {
    knows: () => true,
    logRefused: () => "r-1",
    call: async (_method: string, params: unknown) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      under.push(resolve);
      most = Math.max(most, under.length);
      await promise;
      return params;
    },
  };
  const conversation = new RpcConnection(methods, {
    send: (text) => sent.push(JSON.parse(text)),
    unread: 0,
    pause: () => {},
    end: () => {
      ending.isSo = true;
    },
  });
  const batch = (from: number): object[] =>
    Array.from({ length: 300 }, (_, i) => ({ jsonrpc: "2.0", id: from + i, method: "x", params: {} }));
  conversation.receive(bytesOf(`${JSON.stringify(batch(0))}\n${JSON.stringify(batch(300))}\n`));
  conversation.ended();
  while (!ending.isSo) {
    expect(under.length).toBeLessThanOrEqual(LIMIT);
    under.pop()?.(); // the last first: the order of answers is not that of their ends
    await Bun.sleep(0); // calls begin in turns of the loop
  }
  expect(most).toBe(LIMIT);
  expect(sent.map((answers) => answers.map(({ id }) => id)).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))).toEqual([
    Array.from({ length: 300 }, (_, i) => i),
    Array.from({ length: 300 }, (_, i) => 300 + i),
  ]);
});
