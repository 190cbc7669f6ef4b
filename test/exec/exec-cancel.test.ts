/** A call that is given up takes its command along, at whatever moment that is; one that was told to stay stays. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { failure } from "../client/failure.ts";
import { inParallel, randomNumbers, size, until } from "../chaos/size.ts";
import { dial, withDaemon } from "../daemon/household.ts";
import { RawCaller, request } from "../daemon/raw-caller.ts";
import type { Bench } from "../support/holt.ts";

/** Processes that carry this word in their environment. */
function marked(mark: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").includes(`MARK=${mark}\0`) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const running = (mark: string, extra: object = {}) => ({
  command: "setsid sleep 300 & sleep 300",
  env: { MARK: mark },
  ...extra,
});

async function started(bench: Bench, count: number): Promise<void> {
  await until("they run", () => bench.started().length === count && marked("x").length >= 2 * count);
}

test("a connection that closes ends what it runs, but what is detached or in the background", async () => {
  await withDaemon(async (client, bench) => {
    {
      using caller = await RawCaller.dial(bench);
      await caller.write(request(1, "exec.run", running("x")));
      await caller.write(request(2, "exec.run", running("y", { detached: true })));
      await caller.write(request(3, "exec.run_background", running("z")));
      await until("all run", () => ["x", "y", "z"].every((mark) => marked(mark).length >= 2));
    }
    await until("the first has ended", () => marked("x").length === 0);
    expect(marked("y").length).toBeGreaterThanOrEqual(2);
    expect(marked("z").length).toBeGreaterThanOrEqual(2);
    for (const id of bench.started()) await client.call("session.kill", { session_id: id });
  });
});

test("$/cancelRequest ends it, and the call with ECANCELED", async () => {
  await withDaemon(async (client, bench) => {
    using caller = await RawCaller.dial(bench);
    await caller.write(request(1, "exec.run", running("x")));
    await started(bench, 1);
    await caller.write(`${JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } })}\n`);
    expect(await caller.next()).toMatchObject({ id: 1, error: { data: { code: "ECANCELED" } } });
    await until("it has ended", () => marked("x").length === 0);
    const { session_id } = bench.meta();
    await client.call("session.wait", { session_id });
    expect(bench.final()).toMatchObject({ reason: "stop_requested" });
  });
});

test("canceled at any moment, it leaves no process", async () => {
  const random = randomNumbers();
  await withDaemon(async (client, bench) => {
    await inParallel(size(30, 500), 6, async () => {
      const caller = await RawCaller.dial(bench);
      const method = random() < 0.5 ? "exec.run" : "shell.run";
      await caller.write(request(1, method, paramsFor(method, random())));
      await Bun.sleep(random() * 20);
      caller[Symbol.dispose]();
    });
    await until("no process is left", () => marked("x").length === 0, 60_000);
    expect((await client.call("exec.run", { command: "echo fine" })).channels["stdout"]).toBe("fine\n");
  });

  function paramsFor(method: string, kind: number): object {
    const sleep = kind < 0.3 ? "setsid sleep 300 & sleep 300" : kind < 0.6 ? "sleep 300" : "sleep 0.01";
    return { [method === "exec.run" ? "args" : "argv"]: ["/bin/sh", "-c", sleep], env: { MARK: "x" } };
  }
}, 300_000);

test("hundreds at once each get their own result", async () => {
  await withDaemon(async (client) => {
    const count = size(60, 200);
    const results = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        client.call("exec.run", { command: `echo ${i}; exit ${i % 100}`, timeout_ms: 600_000 }, { answerMs: 600_000 }),
      ),
    );
    expect(results.map(({ channels, exit_code }) => [channels["stdout"], exit_code])).toEqual(
      Array.from({ length: count }, (_, i) => [`${i}\n`, i % 100]),
    );
  });
}, 600_000);

test("a daemon that dies in the middle takes nothing along: the next one tells how it went on", async () => {
  await withDaemon(async (client, bench) => {
    const lost = failure(client.call("exec.run", { command: "echo a; sleep 1; echo b; exit 4" }));
    await until("it prints", () => bench.started().length === 1 && bench.output().length === 2);
    bench.killDaemon();
    expect(await lost).toMatchObject({ code: "EIO" });
    await bench.run(["daemon"]);
    using next = await dial(bench);
    const session_id = bench.id;
    await next.call("session.wait", { session_id });
    expect(await next.call("exec.output", { session_id })).toMatchObject({
      exit_code: 4,
      channels: { stdout: "a\nb\n" },
      eof: true,
    });
  });
});
