/** Processes that are stopped and go on later, and a state directory that is taken away from under them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { FRAME } from "../../src/protocol/wire/frames.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { connectionsTo } from "../support/unix-connections.ts";
import { followFrom, HELLO, RawClient } from "./raw-client.ts";
import { until } from "./size.ts";

type Running = ReturnType<typeof start>;

/** Waits for `go`, runs the script, exits 7. */
function start(bench: Bench, script: string) {
  const waiting = `echo ready; until [ -e go ]; do sleep 0.02; done; ${script}; exit 7`;
  return Bun.spawn([HOLT, "run", "--session-id", "x", "--", "sh", "-c", waiting], {
    env: bench.env,
    cwd: bench.root,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function isReady(bench: Bench): Promise<void> {
  const output = join(bench.state, "sessions", "x", "output.bin");
  await until("the command runs", () => existsSync(output) && statSync(output).size > 0);
  await until("its pid is known", () => bench.meta("x").process !== null);
}

function go(bench: Bench): void {
  writeFileSync(join(bench.root, "go"), "");
}

function isPending(pid: number, signal: number): boolean {
  const pending = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return ((BigInt(`0x${pending}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

async function endOf(proc: Running): Promise<{ text: string; stderr: string; exitCode: number }> {
  const [text, stderr, exitCode] = await Promise.all([
    new Response(proc.stdout).text(),
    new Response(proc.stderr).text(),
    proc.exited,
  ]);
  return { text, stderr, exitCode };
}

const NUMBERS = "seq 1 2000000";
async function numbers(): Promise<string> {
  return `ready\n${await new Response(Bun.spawn(NUMBERS.split(" ")).stdout).text()}`;
}

describe("a process that is stopped", () => {
  test("a follower: the command does not wait for it, and it gets every byte when it goes on", async () => {
    using bench = new Bench();
    const proc = start(bench, NUMBERS);
    const ending = endOf(proc);
    await isReady(bench);
    const follower = Bun.spawn([HOLT, "logs", "-f", "--raw", "x"], {
      env: bench.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const followed = follower.stdout.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await followed.read()).value, { stream: true });
    follower.kill("SIGSTOP");
    go(bench);
    expect((await ending).exitCode).toBe(7);
    follower.kill("SIGCONT");
    for (let next = await followed.read(); !next.done; next = await followed.read())
      text += decoder.decode(next.value, { stream: true });
    expect(text === (await numbers())).toBe(true);
    expect(await follower.exited).toBe(0);
  });

  test("the holder: readers see it run, and nothing is lost when it goes on", async () => {
    using bench = new Bench();
    const proc = start(bench, NUMBERS);
    const ending = endOf(proc);
    await isReady(bench);
    const output = join(bench.state, "sessions", "x", "output.bin");
    go(bench);
    await until("it is in the middle", () => statSync(output).size > 500_000);
    proc.kill("SIGSTOP");
    const shown = await bench.run(["show", "--json", "x"]);
    expect(JSON.parse(shown.text)).toMatchObject({ state: "running", reason: null });
    const removed = await bench.run(["rm", "x"]);
    expect(removed.exitCode).not.toBe(0);
    // It has a socket that takes connections and answers none.
    const follower = bench.run(["logs", "-f", "--raw", "x"]);
    await until("a follower waits to be accepted", () => connectionsTo(bench.meta("x").socket ?? "", "waiting") > 0);
    proc.kill("SIGCONT");
    const expected = await numbers();
    const { text, exitCode } = await ending;
    expect(exitCode).toBe(7);
    expect(text === expected).toBe(true);
    expect(bench.output("x").toString() === expected).toBe(true);
    expect((await follower).text === expected).toBe(true);
  });
});

/** Found here: holt exited 125 where the command had ended well, because its record had no place any more. */
describe("what is removed under a running holder", () => {
  test.each([
    ["its session", "sessions/x"],
    ["the state directory", "."],
  ])("%s: the command is shown and ends as it does", async (_, what) => {
    using bench = new Bench();
    const proc = start(bench, NUMBERS);
    const ending = endOf(proc);
    await isReady(bench);
    const socket = bench.meta("x").socket ?? "";
    rmSync(join(bench.state, what), { recursive: true });
    // Whoever still finds the socket finds nothing to read, and that is no reason to fall over.
    if (existsSync(socket)) {
      using client = await RawClient.dial(socket);
      await client.say(HELLO, followFrom("0"));
      await client.isHungUpOn();
    }
    go(bench);
    const { text, stderr, exitCode } = await ending;
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 7 });
    expect(text === (await numbers())).toBe(true);
  });

  test.each([
    ["its socket", (socket: string) => rmSync(socket)],
    ["the directory of its socket", (socket: string) => rmSync(join(socket, ".."), { recursive: true })],
  ])("%s: followers read the file, and SIGUSR1 brings it back", async (_, remove) => {
    using bench = new Bench();
    const proc = start(bench, NUMBERS);
    const ending = endOf(proc);
    await isReady(bench);
    const socket = bench.meta("x").socket ?? "";
    using early = await RawClient.dial(socket);
    await early.say(HELLO, followFrom("0"));
    await early.hears(FRAME.data);
    remove(socket);
    const follower = Bun.spawn([HOLT, "logs", "-f", "--raw", "x"], { env: bench.env, cwd: bench.root });
    let fromFile = "";
    const following = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of follower.stdout) fromFile += decoder.decode(bytes, { stream: true });
    })();
    await until("what is there was read from the file", () => fromFile === "ready\n");
    process.kill(bench.meta("x").holder.pid, "SIGUSR1");
    await until("the socket is back", () => existsSync(socket));
    expect(statSync(socket).mode & 0o777).toBe(0o700);
    using late = await RawClient.dial(socket);
    await late.say(HELLO, followFrom("0"));
    await late.hears(FRAME.data);
    go(bench);
    await Promise.all([early.hears(FRAME.end), late.hears(FRAME.end)]);
    const { stderr, exitCode } = await ending;
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 7 });
    await following;
    expect(await follower.exited).toBe(0);
    expect(fromFile === (await numbers())).toBe(true);
    expect(existsSync(socket)).toBe(false);
  });

  /** Found here: the second of two who missed the socket at the same time killed the command by asking for it. */
  test("its socket: several who ask for it at once do the command no harm", async () => {
    using bench = new Bench();
    const proc = start(bench, "echo on");
    const ending = endOf(proc);
    await isReady(bench);
    const { socket, holder } = bench.meta("x");
    rmSync(socket ?? "");
    for (let i = 0; i < 3; i++) {
      process.kill(holder.pid, "SIGUSR1");
      await until("the socket is back", () => existsSync(socket ?? ""));
    }
    go(bench);
    expect(await ending).toEqual({ text: "ready\non\n", stderr: "", exitCode: 7 });
  });

  test("the whole state directory: SIGUSR1 cannot bring the socket back, and nothing comes of it", async () => {
    using bench = new Bench();
    const proc = start(bench, "echo on");
    const ending = endOf(proc);
    await isReady(bench);
    const { pid } = bench.meta("x").holder;
    rmSync(bench.state, { recursive: true });
    process.kill(pid, "SIGUSR1");
    await until("the signal was taken", () => !isPending(pid, constants.signals.SIGUSR1));
    go(bench);
    expect(await ending).toEqual({ text: "ready\non\n", stderr: "", exitCode: 7 });
  });
});

/** Found here: a stop that was reported together with the start came before holt could act on it; nobody ever continued the command. */
describe("a command that stops itself at once", () => {
  test("goes on, where no shell could continue it", async () => {
    using bench = new Bench();
    for (let round = 0; round < 10; round++) {
      const proc = Bun.spawn([HOLT, "run", "--", "sh", "-c", "kill -TSTP $$; exit 7"], {
        env: bench.env,
        cwd: bench.root,
        terminal: {},
      });
      expect(await proc.exited).toBe(7);
      proc.terminal?.close();
    }
  });
});
