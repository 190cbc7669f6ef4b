import { expect, test } from "bun:test";
import { FRAME } from "../../src/protocol/wire/frames.ts";
import { Detached, ECHO } from "./detached.ts";
import { HELLO, RawClient } from "./raw-client.ts";
import { restlessness } from "./restless.ts";
import { size, until } from "./size.ts";

const CONNECTIONS = size(60, 400);

/** Found here: each read of the holder's own transcript looked whether the session had ended, in a file; without a descriptor for that, all were detached. */
test("with no descriptor left to accept with, a holder backs off without spinning, serves those it has, and recovers", async () => {
  using bench = new Detached();
  const id = await bench.start(ECHO, ["--max-clients", "400"]);
  const holder = bench.holder(id);
  using witness = await bench.watch(id);
  await witness.sees("ready");
  const open = Number(Bun.spawnSync(["sh", "-c", `ls /proc/${holder}/fd | wc -l`]).stdout.toString());
  const limit = open + 20;
  expect(Bun.spawnSync(["prlimit", "--pid", String(holder), `--nofile=${limit}:${limit}`]).exitCode).toBe(0);
  const { socket } = bench.meta(id);
  const clients: RawClient[] = [];
  using _all = { [Symbol.dispose]: () => clients.forEach((client) => client[Symbol.dispose]()) };
  for (let i = 0; i < CONNECTIONS; i++) clients.push(await RawClient.dial(socket ?? ""));
  for (const client of clients) void client.say(HELLO);
  await until("it is out of descriptors", () => clients.filter(({ frames }) => frames.length > 0).length >= 15);
  expect(await restlessness(holder)).toBeLessThan(0.4);
  witness.type("still here\n");
  await witness.sees("got still here");
  for (const client of clients) client[Symbol.dispose]();
  using late = await RawClient.dial(socket ?? "");
  await late.say(HELLO);
  await late.hears(FRAME.hello);
  witness.type("and afterwards\n");
  await witness.sees("got and afterwards");
  await bench.end(id);
});
