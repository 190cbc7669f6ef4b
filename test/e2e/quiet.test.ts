/** A session in which nothing happens is listed as quiet; that is all that happens to it. */
import { expect, test } from "bun:test";
import type { Session } from "../../src/protocol/types/session.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

async function sessionOf(bench: Bench, id: string): Promise<Session> {
  const { text } = await bench.run(["show", id, "--json"]);
  return JSON.parse(text) as Session;
}

const events = (bench: Bench, id: string): unknown[] =>
  bench
    .events(id)
    .map(({ type }) => type)
    .filter((type) => type === "quiet" || type === "active");

test("is quiet once it neither prints, nor is typed into, nor computes, and no longer when it does", async () => {
  using bench = new Bench({ HOLT_QUIET_AFTER: "300ms" });
  const start = async (id: string, script: string): Promise<void> => {
    const { exitCode } = await bench.run(["start", "--session-id", id, "--", "sh", "-c", script]);
    expect(exitCode).toBe(0);
  };
  await start("sleeps", "cat >/dev/null");
  await start("prints", "while :; do echo x; sleep 0.05; done");
  await start("computes", "while :; do :; done");
  await until("the idle one is quiet", () => events(bench, "sleeps").length === 1);
  const { quiet, quiet_since, state } = await sessionOf(bench, "sleeps");
  expect({ quiet, state }).toEqual({ quiet: true, state: "running" });
  expect(Date.parse(quiet_since ?? "")).toBeLessThan(Date.now());
  expect(isAlive(bench.meta("sleeps").process?.pid ?? 0)).toBe(true);
  await bench.run(["send", "sleeps", "--text", "hello\n"]);
  await until("it woke, and is quiet again", () => events(bench, "sleeps").join(" ") === "quiet active quiet");
  expect(events(bench, "prints")).toEqual([]);
  expect(events(bench, "computes")).toEqual([]);
  expect(await bench.run(["kill", "sleeps", "prints", "computes"])).toMatchObject({ exitCode: 0 });
  expect((await sessionOf(bench, "sleeps")).quiet).toBe(false);
});
