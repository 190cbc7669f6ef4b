import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { RawCaller, request } from "../daemon/raw-caller.ts";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { restlessness } from "./restless.ts";
import { size, until } from "./size.ts";

const CONNECTIONS = size(120, 400);

test("with no descriptor left to accept with, the daemon backs off without spinning, and recovers", async () => {
  using bench = Bench.withDaemon();
  await bench.shell(`ulimit -n 80; "$HOLT" daemon`);
  const pid = bench.daemonPid ?? 0;
  const callers: RawCaller[] = [];
  for (let i = 0; i < CONNECTIONS; i++) callers.push(await RawCaller.dial(bench));
  const log = () => readFileSync(`${bench.state}/log/holt.jsonl`, "latin1");
  await until("it has said that it is out of descriptors", () => log().includes("EMFILE"));
  expect(await restlessness(pid)).toBeLessThan(0.5);
  // Whoever was accepted is served meanwhile.
  await callers[0]?.write(request(1, "health.info"));
  expect(await callers[0]?.next()).toMatchObject({ id: 1 });
  for (const caller of callers) caller[Symbol.dispose]();
  using late = await RawCaller.dial(bench);
  await late.write(request(2, "health.info"));
  expect(await late.next()).toMatchObject({ id: 2, result: { clients: 1 } });
  await end(bench);
});
