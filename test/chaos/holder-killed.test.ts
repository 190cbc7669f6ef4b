/** kill -9, at any moment of a flood. What was captured stays readable, and nobody is told a tale about how the command ended. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/process/processes.ts";
import type { Session } from "../../src/protocol/types/session.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { isAlive } from "./processes.ts";
import { randomNumbers, size, until } from "./size.ts";
import { readStored } from "./transcript-check.ts";

const KILLS = size(8, 400);
const MAX_BYTES = 8_000_000;
const SEQUENCE = "seq 1 1000000000";
const random = randomNumbers();

/** Whether the file's first bytes are the sequence's. */
async function isPrefixOfSequence(file: string): Promise<boolean> {
  const compare = Bun.spawn(["sh", "-c", `${SEQUENCE} | cmp -n "$(stat -c %s "$1")" - "$1"`, "-", file], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return (await compare.exited) === 0;
}

async function killAndLook(mode: "pipe" | "terminal", id: string): Promise<void> {
  using bench = new Bench();
  const output = join(bench.state, "sessions", id, "output.bin");
  // `sleep` outlives the holder: a survivor. On a terminal its output settings must not turn \n into \r\n.
  const script = `${mode === "pipe" ? "" : "stty -opost;"} nohup sleep 300 >/dev/null 2>&1 & echo $! > pid; exec ${SEQUENCE}`;
  const argv = [HOLT, "run", "--session-id", id, "--", "sh", "-c", script];
  const options = { env: bench.env, cwd: bench.root };
  const holder =
    mode === "pipe"
      ? Bun.spawn(argv, { ...options, stdio: ["ignore", "ignore", "ignore"] })
      : Bun.spawn(argv, { ...options, terminal: {} });
  const bytes = Math.floor(random() * MAX_BYTES);
  await until(`${bytes} bytes`, () => existsSync(output) && statSync(output).size > bytes);
  const sleeper = await survivor(join(bench.root, "pid"));
  await Bun.sleep(random() * 5);
  holder.kill("SIGKILL");
  await holder.exited;
  holder.terminal?.close();

  try {
    // Killed while it starts its sweep, it leaves a child that has its lock until that is executed.
    await until("its lock is free", async () => (await show(bench, id)).state !== "running");
    const lost = await show(bench, id);
    expect(lost).toMatchObject({ state: "failed", reason: "holder_lost", exit_code: null, output_complete: false });
    expect(lost.survivors).toContain(sleeper);
    expect(lost.output_bytes).toBe(statSync(output).size);
    expect(await isPrefixOfSequence(output)).toBe(true);

    const stored = readStored(bench, id, 1024 * 1024);
    expect(stored).toMatchObject({ end: lost.output_bytes, gaps: [] });
    expect(Buffer.concat(stored.pieces.map((piece) => piece.bytes)).equals(bench.output(id))).toBe(true);
    const logs = await bench.run(["logs", "--raw", id]);
    expect(Buffer.compare(logs.stdout, bench.output(id))).toBe(0);

    const again = await bench.run(["run", "--session-id", id, "--", "true"]);
    expect(again).toMatchObject({ exitCode: 2, text: "" });
    expect(again.stderr).toContain(`session id "${id}" is taken`);
  } finally {
    process.kill(sleeper, "SIGKILL");
  }
  await until("the survivor is gone", () => !isAlive(sleeper));
  expect((await show(bench, id)).survivors).toEqual([]);
  expect(await bench.run(["rm", id])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(existsSync(join(bench.state, "sessions", id))).toBe(false);
}

/** Once nohup has done its work: before that, a terminal that hangs up ends it, as it should. */
async function survivor(file: string): Promise<number> {
  await until("it has left something", () => existsSync(file) && readFileSync(file, "latin1").endsWith("\n"));
  const pid = Number(readFileSync(file, "latin1"));
  await until("nohup has done its work", () => readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith("sleep"));
  return pid;
}

async function show(bench: Bench, id: string): Promise<Session> {
  const { text, exitCode, stderr } = await bench.run(["show", "--json", id]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(text) as Session;
}

describe("a holder killed with -9 in a flood", () => {
  test.each(["pipe", "terminal"] as const)(
    "on a %s leaves everything up to its last byte, its survivors named, and an id that stays taken",
    async (mode) => {
      for (let number = 0; number < KILLS; number++) await killAndLook(mode, `killed-${number}`);
    },
  );
});

/** Found by a newcomer: the leader ignores a hang-up, so a command that never touches its terminal lived on. */
describe("a holder killed with -9 on a terminal hangs up on the command", () => {
  test.each([
    ["native", {}],
    ["without native code", { HOLT_NO_NATIVE: "1" }],
  ])(
    "%s: what only sleeps ends, its leader too, and what asked for it stays",
    async (_, extra: Record<string, string>) => {
      using bench = new Bench(extra);
      const script = "nohup sleep 300 >/dev/null 2>&1 & echo $! > stays; exec sleep 300";
      const holder = Bun.spawn([HOLT, "run", "--session-id", "x", "--", "sh", "-c", script], {
        env: bench.env,
        cwd: bench.root,
        terminal: {},
      });
      const meta = join(bench.state, "sessions", "x", "meta.json");
      await until("it runs", () => existsSync(meta) && bench.meta("x").process !== null);
      const stays = await survivor(join(bench.root, "stays"));
      const command = bench.meta("x").process?.pid ?? 0;
      const leader = processStatus(command)?.parent ?? 0;
      holder.kill("SIGKILL");
      await holder.exited;
      holder.terminal?.close();
      await until("both are gone", () => !isAlive(command) && !isAlive(leader));
      expect(isAlive(stays)).toBe(true);
      process.kill(stays, "SIGKILL");
    },
  );
});
