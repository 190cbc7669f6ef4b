/**
 * With a daemon killed every quarter of a second, a stream ended with EIO instead of reconnecting:
 * it tried once, while the next daemon was not up yet.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { end } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { connectionsTo } from "../support/unix-connections.ts";
import { HoltClient } from "../../src/library/index.ts";

let bench: Bench;
beforeAll(async () => {
  bench = Bench.withDaemon();
  await bench.run(["daemon"]);
});
afterAll(async () => {
  await end(bench);
  bench[Symbol.dispose]();
});

const socket = (): string => join(bench.state, "run", "daemon.sock");
const both = { argv: ["sh", "-c", "read x; echo $x"], pty: false as const };

/** With a given socket the client starts no daemon: it retries as long as the test needs. */
test("streams continue with a daemon that starts a while after the last one ended", async () => {
  await using client = new HoltClient({ socket: socket() });
  await using other = new HoltClient({ stateDir: bench.state, executable: HOLT });
  const { session_id } = await client.call("session.start", both);
  const followed = client.follow(session_id);
  const output = followed.next();
  const background = await client.background({ command: "sleep 600" });
  const last = (async () => {
    let told: unknown = null;
    for await (const { method } of background.notifications) told = method;
    return told;
  })();
  await until("both are told", () => connectionsTo(socket(), "accepted") >= 3);
  bench.killDaemon();
  const isAnswered = await client.call("health.info", {}).then(
    () => true,
    () => false,
  );
  expect(isAnswered).toBe(false);
  await other.call("session.send", { session_id, text: "at last\n" });
  await other.call("session.stop", { session_id: background.session_id });
  const { value } = await output;
  expect(value !== null && "bytes" in value ? Buffer.from(value.bytes).toString() : value).toBe("at last\n");
  expect(await last).toMatch(/^exec\.(completed|failed)$/);
}, 60_000);

test("a reconnecting stream ends at once when aborted, and a client that never reached a daemon does not retry", async () => {
  const client = new HoltClient({ socket: socket() });
  const starter = new HoltClient({ stateDir: bench.state, executable: HOLT });
  await starter.call("health.info", {});
  const { session_id } = await client.call("session.start", both);
  const aborting = new AbortController();
  const followed = client.follow(session_id, { signal: aborting.signal });
  const first = followed.next();
  await until("it is told", () => connectionsTo(socket(), "accepted") >= 3);
  bench.killDaemon();
  await until("the client is hung up on", () => connectionsTo(socket(), "accepted") === 0);
  aborting.abort();
  expect(await first).toEqual({ done: true, value: null });
  const nowhere = new HoltClient({ socket: join(bench.root, "nowhere") });
  expect(
    await nowhere
      .follow(session_id)
      .next()
      .catch((error: unknown) => error),
  ).toMatchObject({ code: "EIO" });
  client.close();
  starter.close();
}, 60_000);
