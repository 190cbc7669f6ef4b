/**
 * The daemon lived on with the environment of the command that happened to start it, and its holders had the same: a token that was in that shell stood in /proc/PID/environ of
 * all of them, for weeks.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";
import { end, warmHolders } from "./household.ts";

const SECRET = { SECRET_THING: "pl4nted", SSH_AUTH_SOCK: "/tmp/pl4nted", EDITOR: "pl4nted" };
const KEPT = { LC_COLLATE: "C", TZ: "Europe/Vienna", HTTPS_PROXY: "http://proxy.test:3128", XDG_SEAT: "seat7" };

/** What it was started with, as the kernel shows it. */
function environment(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").slice(0, -1);
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
}

/** A session that prints what its command finds, and goes on. */
async function startIn(bench: Bench, env: Record<string, string>): Promise<string> {
  const { text } = await bench.run(["start", "--", "sh", "-c", 'echo "<$SECRET_THING>"; exec sleep 100'], { env });
  const id = text.trim();
  await until("it has printed", () => bench.output(id).includes(">"));
  return id;
}

function expectOnlyNeeded(pid: number, bench: Bench): void {
  const env = environment(pid);
  expect(env).toMatchObject({ ...KEPT, PATH: process.env["PATH"], HOLT_STATE_DIR: bench.state });
  expect(Object.keys(env).filter((name) => name in SECRET)).toEqual([]);
}

test("a daemon and its holders keep nothing of the shell that started it, and commands have their own caller's variables", async () => {
  using bench = Bench.withDaemon(KEPT);
  try {
    const first = await startIn(bench, SECRET);
    await until("three holders wait", () => warmHolders(bench).length === 3);
    const second = await startIn(bench, { ...SECRET, SECRET_THING: "another" });
    expect(bench.output(first).toString()).toContain("<pl4nted>");
    expect(bench.output(second).toString()).toContain("<another>");
    const [daemon = 0, ...others] = bench.processes("__daemon");
    expect([daemon, others]).toEqual([bench.daemonPid ?? -1, []]);
    const holders = bench.holders();
    expect(holders).toContain(bench.meta(second).holder.pid);
    for (const pid of [daemon, ...holders]) expectOnlyNeeded(pid, bench);
  } finally {
    await end(bench);
  }
});

test("nor does a holder that is started without a daemon", async () => {
  using bench = new Bench(KEPT);
  const id = await startIn(bench, SECRET);
  expect(bench.output(id).toString()).toContain("<pl4nted>");
  expectOnlyNeeded(bench.meta(id).holder.pid, bench);
  await bench.run(["kill", id]);
});
