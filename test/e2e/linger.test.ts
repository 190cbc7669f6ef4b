/** What a command leaves running when it ends: ended with the session, or left to go on. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSame } from "../../src/platform/process/processes.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

async function ended(bench: Bench, id: string): Promise<void> {
  await until(`${id} has ended`, () => existsSync(join(bench.state, "sessions", id, "final.json")));
  await until("its holder is gone", () => !isAlive(bench.meta(id).holder.pid));
}

/** Leaves two behind, one of which has escaped, that hold nothing of the session's open. */
const LEAVES =
  "sleep 60 >/dev/null 2>&1 </dev/null & echo $! > one; setsid sh -c 'echo $$ > two; exec sleep 60' >/dev/null 2>&1 </dev/null & until [ -s two ]; do :; done; echo done";

function pids(bench: Bench): number[] {
  return ["one", "two"].map((name) => Number(readFileSync(join(bench.root, name), "latin1")));
}

function alive(bench: Bench): boolean[] {
  return pids(bench).map(isAlive);
}

const byNumber = (a: number, b: number): number => a - b;

describe.each([[[]], [["--no-pty"]]] as string[][][])("holt start %j", (args) => {
  const start = (bench: Bench, ...more: string[]) =>
    bench.run(["start", "--session-id", "x", ...args, ...more, "--", "sh", "-c", LEAVES]);

  test("without --linger they are ended with the session", async () => {
    using bench = new Bench();
    expect(await start(bench)).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(alive(bench)).toEqual([false, false]);
    expect(bench.final("x")).toMatchObject({ state: "exited", survivors: [] });
  });

  test("with --linger they go on, the record tells of them, and a stop ends them", async () => {
    using bench = new Bench();
    expect(await start(bench, "--linger")).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(alive(bench)).toEqual([true, true]);
    const final = bench.final("x");
    expect(final).toMatchObject({ state: "exited", exit_code: 0, reason: "completed", output_complete: true });
    expect(final.survivors.map(({ pid }) => pid).toSorted(byNumber)).toEqual(pids(bench).toSorted(byNumber));
    // They were written with their place in the list for a start time, so that nobody knew them again.
    expect(final.survivors.filter(isSame)).toHaveLength(2);
    expect(bench.output("x").toString().trim()).toBe("done");
    const shown = JSON.parse((await bench.run(["show", "x", "--json"])).text);
    expect(shown.survivors.toSorted(byNumber)).toEqual(pids(bench).toSorted(byNumber));
    expect(await bench.run(["stop", "x", "--json"])).toMatchObject({ text: '{"stopped":["x"],"already_ended":[]}\n' });
    expect(alive(bench)).toEqual([false, false]);
    expect(JSON.parse((await bench.run(["show", "x", "--json"])).text).survivors).toEqual([]);
    expect(await bench.run(["stop", "x", "--json"])).toMatchObject({ text: '{"stopped":[],"already_ended":["x"]}\n' });
  });

  test("what holds its output open is read for two seconds, and then goes on without", async () => {
    using bench = new Bench();
    const script = "sleep 60 & echo $! > one; echo $! > two; echo out";
    await bench.run(["start", "--session-id", "x", ...args, "--linger", "--", "sh", "-c", script]);
    await ended(bench, "x");
    expect(bench.output("x").toString().trim()).toBe("out");
    expect(bench.final("x")).toMatchObject({ state: "exited", output_complete: false });
    expect(alive(bench)).toEqual([true, true]);
    await bench.run(["kill", "x"]);
    expect(alive(bench)).toEqual([false, false]);
  });
});

describe("lingering", () => {
  test("does not save anything from a stop that was asked for", async () => {
    using bench = new Bench();
    await bench.run(["start", "--session-id", "x", "--linger", "--", "sh", "-c", `${LEAVES}; sleep 60`]);
    await until("it is up", () => bench.output("x").includes("done"));
    await bench.run(["stop", "x"]);
    expect(alive(bench)).toEqual([false, false]);
    expect(bench.final("x")).toMatchObject({ reason: "stop_requested", survivors: [] });
  });

  test("session.start {linger}, through a warm holder", async () => {
    await withDaemon(async (client, bench) => {
      const session = await client.call("session.start", {
        command: LEAVES,
        cwd: bench.root,
        session_id: "x",
        linger: true,
      });
      expect(session.linger).toBe(true);
      await ended(bench, "x");
      expect(alive(bench)).toEqual([true, true]);
      await client.call("session.kill", { session_id: "x" });
      expect(alive(bench)).toEqual([false, false]);
    });
  });

  test("is what a foreground run does: it leaves them alone, and tells of them", async () => {
    using bench = new Bench();
    expect(await bench.run(["run", "--session-id", "x", "--", "sh", "-c", LEAVES])).toMatchObject({ text: "done\n" });
    expect(alive(bench)).toEqual([true, true]);
    expect(bench.final("x").survivors).toHaveLength(2);
    await bench.run(["stop", "x"]);
    expect(alive(bench)).toEqual([false, false]);
  });

  test("what lingers of one attempt is no part of the next", async () => {
    using bench = new Bench();
    const restart = ["--restart", "on-failure", "--max-restarts", "1", "--restart-delay", "0s"];
    const script = `if [ -e one ]; then sleep 60; else ${LEAVES}; exit 1; fi`;
    await bench.run(["start", "--session-id", "x", "--linger", ...restart, "--", "sh", "-c", script]);
    await until("the second attempt runs", () =>
      bench.started().some((id) => id !== "x" && bench.meta(id).process !== null),
    );
    const second = bench.ids.find((id) => id !== "x") ?? "";
    const signal = await bench.run(["signal", second, "TERM"]);
    expect(signal).toMatchObject({ exitCode: 0 });
    await until("it has ended", () => existsSync(join(bench.state, "sessions", second, "final.json")));
    expect(alive(bench)).toEqual([true, true]);
    // Its own `sleep` may be about to end by the signal that the shell has ended by.
    const left = bench.final(second).survivors;
    expect(left.filter(({ pid }) => pids(bench).includes(pid))).toEqual([]);
    await until("nothing of it is left", () => !left.some(isSame));
    await bench.run(["kill", "x"]);
    expect(alive(bench)).toEqual([false, false]);
  });
});
