import { expect, test } from "bun:test";
import { warmHolders } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { isAlive } from "./processes.ts";
import { size, until } from "./size.ts";

const CLIENTS = 20;
const ROUNDS = size(3, 100);

test(`${CLIENTS} clients that need a daemon at once: one daemon and ${CLIENTS} answers, ${ROUNDS} times`, async () => {
  using bench = Bench.withDaemon();
  for (let round = 0; round < ROUNDS; round++) {
    const outcomes = await Promise.all(Array.from({ length: CLIENTS }, () => bench.run(["daemon", "--json"])));
    const pids = outcomes.map(({ text, stderr }) => {
      expect(stderr).toBe("");
      return (JSON.parse(text) as { pid: number }).pid;
    });
    expect(new Set(pids)).toEqual(new Set([bench.daemonPid ?? 0]));
    // The next round finds what a killed one leaves behind, or nothing.
    const pid = bench.daemonPid ?? 0;
    if (round % 2 === 0) process.kill(pid, "SIGKILL");
    else expect(await bench.run(["daemon", "stop"])).toMatchObject({ exitCode: 0 });
    await until("it is gone", () => !isAlive(pid));
    // One of the twenty that has yet to look would take the place of one that was killed.
    await until("so are its holders", () => bench.killDaemons() && warmHolders(bench).length === 0);
  }
});

test("daemons started at once leave quietly but for one", async () => {
  using bench = Bench.withDaemon();
  const daemons = Array.from({ length: CLIENTS }, () =>
    Bun.spawn([HOLT, "__daemon"], { env: bench.env, stdio: ["ignore", "ignore", "pipe"] }),
  );
  await until("one of them serves", () => bench.daemonPid !== null);
  await until("the others left", () => daemons.filter(({ exitCode }) => exitCode === null).length === 1);
  expect(daemons.filter(({ exitCode }) => exitCode !== null).map(({ exitCode }) => exitCode)).toEqual(
    Array(CLIENTS - 1).fill(0),
  );
  const winner = daemons.find(({ exitCode }) => exitCode === null);
  expect(winner?.pid).toBe(bench.daemonPid ?? 0);
  expect(await bench.run(["daemon", "status"])).toMatchObject({ exitCode: 0 });
  winner?.kill("SIGTERM");
  expect(await winner?.exited).toBe(0);
  for (const { stderr } of daemons) expect(await new Response(stderr).text()).toBe("");
});
