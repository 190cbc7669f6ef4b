/** What the daemon does not take at once used to be kept as text: a write that ended inside a character made it, and the call, another one. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

test("a call that is written piece by piece arrives as it was made", async () => {
  using bench = new Bench();
  mkdirSync(join(bench.state, "run"), { recursive: true });
  const { promise: arrived, resolve } = Promise.withResolvers<string>();
  const parts: Buffer[] = [];
  using _listener = Bun.listen({
    unix: join(bench.state, "run", "daemon.sock"),
    socket: {
      data(socket, bytes) {
        parts.push(Buffer.from(bytes));
        if (bytes.at(-1) !== 10) return;
        resolve(Buffer.concat(parts).toString());
        socket.write('{"jsonrpc":"2.0","id":1,"result":{"bytes_written":1,"next_cursor":"0"}}\n');
      },
    },
  });
  using client = await DaemonClient.dial(layoutAt(bench.state));
  // Three bytes each, so that no buffer's size is a multiple of them.
  const text = "€".repeat(1_000_000);
  const answer = client?.call("session.send", { session_id: "x", text });
  expect(JSON.parse(await arrived).params.text === text).toBe(true);
  expect(await answer).toEqual({ bytes_written: 1, next_cursor: "0" });
});

/** Found by a reviewer: `holt mcp` took a daemon that was busy with 64 of its calls, and silent for five seconds, for a dead one, and failed them all. */
test("a link that is given up for its silence is kept until the calls on it are answered", async () => {
  using bench = new Bench();
  mkdirSync(join(bench.state, "run"), { recursive: true });
  const asked: { socket: Bun.Socket | null; isClosed: boolean } = { socket: null, isClosed: false };
  using _listener = Bun.listen({
    unix: join(bench.state, "run", "daemon.sock"),
    socket: {
      data(socket) {
        asked.socket = socket;
      },
      close() {
        asked.isClosed = true;
      },
    },
  });
  using client = await DaemonClient.dial(layoutAt(bench.state));
  const answer = client?.call("session.send", { session_id: "x", text: "x" });
  await until("the call has come", () => asked.socket !== null);
  client?.closeWhenIdle();
  expect(client?.isClosed).toBe(false);
  asked.socket?.write('{"jsonrpc":"2.0","id":1,"result":{"bytes_written":1,"next_cursor":"0"}}\n');
  expect(await answer).toEqual({ bytes_written: 1, next_cursor: "0" });
  await until("it hung up", () => asked.isClosed);
});
