/** A session's end, asked for from outside. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/process/processes.ts";
import { isAlive } from "../chaos/processes.ts";
import { size, until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";
import { ended, sees, start } from "./driven.ts";

const LEAVING = "nohup sleep 300 >/dev/null 2>&1 & echo $! > left; exec sleep 300";

/** Of a session that runs it and loses its holder, a stop ends what was left running. */
async function endsWhatIsLeft(bench: Bench): Promise<void> {
  await until("it has left something", () => existsSync(join(bench.root, "left")));
  process.kill(bench.meta("x").holder.pid, "SIGKILL");
  const left = Number(readFileSync(join(bench.root, "left"), "latin1"));
  await until("it is lost", () => !isAlive(bench.meta("x").holder.pid));
  expect(await bench.run(["stop", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  expect(isAlive(left)).toBe(false);
}

describe("holt stop and kill", () => {
  const TREE = `setsid sh -c 'echo $$ > escaped; exec sleep 60' & trap 'echo stopped; exit 4' TERM; until [ -s escaped ]; do sleep 0.02; done; echo ready; while :; do sleep 0.02; done`;

  test("stop asks the whole tree to end, and returns when it has", async () => {
    using bench = new Bench();
    await start(bench, TREE);
    await sees(bench, "ready");
    expect(await bench.run(["stop", "--json", "x"])).toMatchObject({
      text: '{"stopped":["x"],"already_ended":[]}\n',
      stderr: "",
      exitCode: 0,
    });
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 4, reason: "stop_requested" });
    expect(isAlive(Number(readFileSync(join(bench.root, "escaped"), "latin1")))).toBe(false);
    expect(await bench.run(["stop", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  });

  test("what does not end within the grace is killed", async () => {
    using bench = new Bench();
    await start(bench, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    await sees(bench, "ready");
    expect(await bench.run(["stop", "--grace", "100ms", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "stop_requested" });
  });

  /** "0s" was refused as no positive duration. */
  test("a grace of nothing is SIGTERM, and SIGKILL at once", async () => {
    using bench = new Bench();
    await start(bench, "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    await sees(bench, "ready");
    expect(await bench.run(["stop", "--grace", "0s", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "stop_requested" });
    expect(bench.events("x")).toContainEqual(expect.objectContaining({ type: "stop", signal: "SIGTERM" }));
  });

  /** Found by a newcomer: the stop of a shell took the whole grace, because an interactive one ignores SIGTERM, and then killed it. */
  test.each(["bash --norc -i", "zsh -f -i"])(
    "an interactive shell (%s) is told that its terminal is gone",
    async (shell) => {
      using bench = new Bench();
      await start(bench, `exec ${shell}`);
      expect(await bench.run(["wait", "x", "--until", "input"])).toMatchObject({ exitCode: 0 });
      expect(await bench.run(["stop", "x", "--grace", "10m"])).toMatchObject({ stderr: "", exitCode: 0 });
      // zsh exits of its own accord, bash ends itself by the signal
      expect(bench.final("x").reason).toBe("stop_requested");
      expect(bench.final("x").signal).not.toBe("SIGKILL");
    },
  );

  test("kill does not ask", async () => {
    using bench = new Bench();
    await start(bench, TREE);
    await sees(bench, "ready");
    expect(await bench.run(["kill", "x"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "kill_requested" });
    expect(isAlive(Number(readFileSync(join(bench.root, "escaped"), "latin1")))).toBe(false);
  });

  test("what a killed holder left running is ended too", async () => {
    using bench = new Bench();
    await start(bench, LEAVING);
    await endsWhatIsLeft(bench);
  });

  /**
   * Whoever carried the id was taken for a survivor, whichever state directory it belonged to: the stop of a lost session "x" ended every living
   * session "x" of the machine. Other tests failed of it, once in a thousand times.
   */
  test("a session of the same id in another state directory is left alone", async () => {
    using bench = new Bench();
    using other = new Bench();
    await start(bench, LEAVING);
    await start(
      other,
      "setsid sh -c 'echo $$ > escaped; exec sleep 300' & until [ -s escaped ]; do sleep 0.02; done; echo ready; wait",
    );
    await sees(other, "ready");
    await endsWhatIsLeft(bench);
    const escaped = Number(readFileSync(join(other.root, "escaped"), "latin1"));
    expect([isAlive(other.meta("x").process?.pid ?? 0), isAlive(escaped)]).toEqual([true, true]);
    await other.run(["kill", "x"]);
  });

  /** Found by a breaker: the leader waited for a word that nobody said, and saw neither the SIGCONT nor the end. */
  test.each([
    [["signal", "x", "CONT"], "exited"],
    [["stop", "x"], "signaled"],
    [["kill", "x"], "signaled"],
  ])("a command that was halted with SIGSTOP is reached by %j", async (args, state) => {
    using bench = new Bench();
    // Nothing that starts others: a shell that is halted between its vfork and the child's exec is never seen halted.
    await start(bench, "echo ready; read go");
    await sees(bench, "ready");
    expect(await bench.run(["signal", "x", "STOP"])).toMatchObject({ exitCode: 0 });
    const pid = bench.meta("x").process?.pid ?? 0;
    await until("it is halted", () => processStatus(pid)?.state === "T");
    if (state === "exited") await bench.run(["send", "x", "--enter"]);
    expect(await bench.run(args)).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.final("x").state).toBe(state as "exited");
  });

  /** Found by a breaker: a stop in the first milliseconds was answered as if the session had ended, and it ran on. */
  test("a stop at any moment of a start ends the session", async () => {
    for (let round = 0; round < size(12, 400); round++) {
      using bench = new Bench();
      const starting = bench.run(["start", "--session-id", "x", "--", "sleep", "60"]);
      await until("there is something to stop", () => existsSync(join(bench.state, "sessions", "x", "meta.json")));
      await Bun.sleep(round % 4);
      expect(await bench.run(["stop", "x"])).toMatchObject({ stderr: "", exitCode: 0 });
      await starting;
      expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGTERM", reason: "stop_requested" });
    }
  });

  test("input for a command that has closed its stdin is refused", async () => {
    using bench = new Bench();
    await start(bench, "exec <&-; echo ready; until [ -e go ]; do sleep 0.02; done", ["--no-pty"]);
    await sees(bench, "ready");
    expect(await bench.run(["send", "x", "--text", "a"])).toMatchObject({
      exitCode: 1,
      stderr: "holt: the command has closed its stdin\n",
    });
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench);
  });

  test("a stop of the holder itself ends its session with the same reason", async () => {
    using bench = new Bench();
    await start(bench, "echo ready; exec sleep 60");
    await sees(bench, "ready");
    process.kill(bench.meta("x").holder.pid, "SIGHUP");
    process.kill(bench.meta("x").holder.pid, "SIGTERM");
    await ended(bench);
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGTERM", reason: "stop_requested" });
  });
});
