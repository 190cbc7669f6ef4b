import { describe, expect, test } from "bun:test";
import { rmSync, existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/process/processes.ts";
import { failure } from "../client/failure.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { dial, end, warmHolders, withDaemon } from "./household.ts";
import { otherFileAt } from "../support/other-file.ts";

describe("holt daemon", () => {
  test("tells which one runs, ends without a session noticing, and comes back when asked", async () => {
    using bench = Bench.withDaemon();
    expect(await bench.run(["daemon", "status"])).toMatchObject({ text: "no daemon is running\n", exitCode: 3 });
    expect(await bench.run(["daemon"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    const id = (await bench.run(["start", "--", "sleep", "60"])).text.trim();
    const status = JSON.parse((await bench.run(["daemon", "status", "--json"])).text);
    expect(status).toMatchObject({ running: true, version: "0.1.0", sessions: { running: 1 }, holders: 1 });
    expect(await bench.run(["daemon", "restart"])).toMatchObject({ stderr: "", exitCode: 0 });
    const second = JSON.parse((await bench.run(["daemon", "status", "--json"])).text);
    expect(second).toMatchObject({ running: true, sessions: { running: 1 }, holders: 1 });
    expect(second.pid).not.toBe(status.pid);
    expect(await bench.run(["daemon", "stop"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
    expect((await bench.run(["daemon", "status", "--json"])).text).toBe('{"running":false}\n');
    expect(isAlive(bench.meta(id).process?.pid ?? 0)).toBe(true);
    await bench.run(["kill", id]);
    await end(bench);
  });

  test("runs in a session of its own, at /, with no descriptor of whoever started it", async () => {
    await withDaemon(async (_client, bench) => {
      const pid = bench.daemonPid ?? 0;
      expect(processStatus(pid)).toMatchObject({ session: pid, group: pid });
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
      expect([0, 1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))).toEqual(Array(3).fill("/dev/null"));
    });
  });

  // A service manager took the 0, without a word, for a daemon that had done its work.
  test("in the foreground says so where there is one already", async () => {
    await withDaemon(async (_client, bench) => {
      const { exitCode, stderr } = await bench.run(["daemon", "--foreground"]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("a daemon already runs");
      expect(stderr).toContain(`pid ${bench.daemonPid}`);
    });
  });

  test("--stop-sessions ends them all, with the reason", async () => {
    using bench = Bench.withDaemon();
    const polite = (
      await bench.run(["start", "--", "sh", "-c", "trap 'echo bye; exit 4' TERM; echo up; sleep 60 & wait"])
    ).text.trim();
    const deaf = (
      await bench.run(["start", "--", "sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"])
    ).text.trim();
    await until("both are up", () => [polite, deaf].every((id) => bench.output(id).includes("up")));
    const { text, exitCode } = await bench.run(["daemon", "stop", "--stop-sessions", "--grace", "300ms", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(text).stopped.toSorted()).toEqual([polite, deaf].toSorted());
    expect(bench.final(polite)).toMatchObject({ state: "exited", exit_code: 4, reason: "daemon_shutdown" });
    expect(bench.final(deaf)).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "daemon_shutdown" });
    expect(bench.output(polite).toString()).toContain("bye");
    await end(bench);
  });

  // It used to refuse every start from then on, as if it were still ending.
  test("one that could not stop every session goes on, and starts others", async () => {
    await withDaemon(async (client, bench) => {
      await client.call("session.start", { argv: ["sleep", "60"], session_id: "x" });
      const { holder, socket } = bench.meta("x");
      otherFileAt(socket); // nobody can ask it for anything
      expect(await failure(client.call("daemon.shutdown", { stop_sessions: true }))).toMatchObject({ code: "EIO" });
      rmSync(socket ?? "");
      process.kill(holder.pid, "SIGUSR1");
      const { session_id } = await client.call("session.start", { argv: ["true"] });
      expect(await client.call("session.wait", { session_id })).toMatchObject({ exit_code: 0 });
    });
  });

  test("what a killed one left behind needs nobody's help", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const first = bench.daemonPid ?? 0;
    process.kill(first, "SIGKILL");
    await until("it is gone", () => !isAlive(first));
    expect(existsSync(join(bench.state, "run", "daemon.sock"))).toBe(true);
    expect(await bench.run(["daemon", "status"])).toMatchObject({ exitCode: 3 });
    expect(await bench.run(["daemon"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.daemonPid).not.toBe(first);
    await end(bench);
  });

  test("started from inside a session, it and the sessions that it starts outlive that one", async () => {
    using bench = Bench.withDaemon();
    const script = `"$HOLT" daemon; "$HOLT" start --session-id inner -- sleep 60; exit 5`;
    expect(
      await bench.run(["start", "--session-id", "outer", "--", "sh", "-c", script], {
        env: { HOLT, HOLT_NO_DAEMON: "1" },
      }),
    ).toMatchObject({ exitCode: 0 });
    await until("the outer one has ended", () => existsSync(join(bench.state, "sessions", "outer", "final.json")));
    expect(bench.final("outer")).toMatchObject({ exit_code: 5 });
    expect(isAlive(bench.daemonPid ?? 0)).toBe(true);
    expect(isAlive(bench.meta("inner").process?.pid ?? 0)).toBe(true);
    await bench.run(["kill", "inner"]);
    await end(bench);
  });
});

describe("Warm holders", () => {
  test("are there for the next session, are replaced, and take the caller's directory, environment and umask", async () => {
    await withDaemon(async (client, bench) => {
      await until("three wait", () => warmHolders(bench).length === 3);
      const before = warmHolders(bench);
      writeFileSync(join(bench.root, "here"), "");
      const line = `umask 027; cd "${bench.root}"; A=b "$HOLT" start --session-id x --no-pty -- sh -c 'ls; umask; echo "$A"; sleep 60'`;
      expect(await bench.shell(line)).toMatchObject({ text: "x\n", stderr: "", exitCode: 0 });
      expect(before).toContain(bench.meta("x").holder.pid);
      await until("it printed", () => bench.output("x").includes("b\n"));
      expect(bench.output("x").toString()).toBe("here\nstate\n0027\nb\n");
      await until("three wait again", () => warmHolders(bench).length === 3);
      await until("they are counted", async () => (await client.call("health.info", {})).warm === 3);
      await client.call("session.kill", { session_id: "x" });
    });
  });

  test("none is left when the daemon is killed", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    await until("three wait", () => warmHolders(bench).length === 3);
    bench.killDaemon();
    await until("none is left", () => bench.holders().length === 0);
  });

  test("a burst beyond them works", async () => {
    await withDaemon(async (client) => {
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const { session_id } = await client.call("session.start", { argv: ["sh", "-c", `exit ${i}`] });
          return (await client.call("session.wait", { session_id })).exit_code;
        }),
      );
      expect(outcomes).toEqual(Array.from({ length: 30 }, (_, i) => i));
    });
  });

  // A caller in another container or namespace used to get a session in the daemon's: with other files, another network.
  test("a caller of another namespace has its own holder", async () => {
    await withDaemon(async (client, bench) => {
      if ((await bench.shell("unshare --uts true")).exitCode !== 0) return; // not for everybody
      const start = `unshare --uts sh -c 'readlink /proc/self/ns/uts; "$HOLT" start --session-id x --no-pty -- readlink /proc/self/ns/uts'`;
      const { text, exitCode } = await bench.shell(start);
      expect(exitCode).toBe(0);
      await client.call("session.wait", { session_id: "x" });
      expect(text).toBe(`${bench.output("x").toString()}x\n`);
    });
  });

  // The signal used to wait for the loop, and stopped the session that came next.
  test("one that is told to end while it waits ends, and no session with it", async () => {
    await withDaemon(async (client, bench) => {
      while ((await client.call("health.info", {})).warm < 3);
      const [first = 0] = warmHolders(bench);
      await until("it waits", () => blockedInRead(first));
      process.kill(first, "SIGTERM");
      await until("it is gone", () => !isAlive(first));
      // The daemon may not have noticed yet: then the start is done without it.
      expect(await bench.run(["start", "--session-id", "x", "--", "sh", "-c", "exit 3"])).toMatchObject({
        exitCode: 0,
      });
      expect(await client.call("session.wait", { session_id: "x" })).toMatchObject({ outcome: "exited", exit_code: 3 });
    });
  });

  test.each([
    ["limits", "ulimit -n 600", "ulimit -n", "600"],
    ["a priority", "true", "nice", "7"],
  ])("a caller of other circumstances (%s) has its own holder", async (name, before, asked, expected) => {
    await withDaemon(async (client, bench) => {
      const start = `${name === "a priority" ? "nice -n 7 " : ""}"$HOLT" start --session-id x --no-pty -- sh -c '${asked}'`;
      expect(await bench.shell(`${before}; ${start}`)).toMatchObject({ text: "x\n", exitCode: 0 });
      await client.call("session.wait", { session_id: "x" });
      expect(bench.output("x").toString()).toContain(expected);
      expect(processStatus(bench.meta("x").holder.pid)?.parent).not.toBe(bench.daemonPid);
    });
  });
});

test("calls over the socket do what the commands do", async () => {
  await withDaemon(async (client, bench) => {
    const { session_id } = await client.call("session.start", {
      argv: ["cat"],
      name: "cat",
      cwd: bench.root,
      env: { A: "b" },
      pty: { cols: 90, rows: 30 },
    });
    expect(await client.call("session.send", { session_id, text: "hello\n" })).toMatchObject({ bytes_written: 6 });
    const waited = await client.call("session.wait", { session_id, until: { match: "hello\\s+hello" }, cursor: "0" });
    expect(waited.outcome).toBe("matched");
    // What wakes a wait may be in the index some milliseconds later.
    await client.call("session.wait", { session_id, until: { idle_ms: 50 } });
    const { chunks, eof } = await client.call("session.read", { session_id });
    const text = chunks?.map(({ data }) => Buffer.from(data, "base64").toString()).join("");
    expect({ text, eof }).toEqual({ text: "hello\r\nhello\r\n", eof: false });
    await client.call("session.resize", { session_id, cols: 100, rows: 20 });
    await client.call("session.rename", { session_id, name: "kitten" });
    const { sessions, total_count } = await client.call("session.list", { name: "kitten" });
    expect({ ids: sessions.map((session) => session.session_id), total_count }).toEqual({
      ids: [session_id],
      total_count: 1,
    });
    // A name is what people call it by; that a call wants the id was not said.
    expect(await failure(client.call("session.get", { session_id: "kitten" }))).toMatchObject({
      code: "ENOTFOUND",
      message: "session not found: kitten",
      hint: `"kitten" is the name of ${session_id}`,
    });
    await client.call("session.signal", { session_id, signal: "SIGINT" });
    expect(await client.call("session.wait", { session_id })).toMatchObject({ outcome: "exited", signal: "SIGINT" });
    await client.call("session.remove", { session_id });
    expect(await failure(client.call("session.get", { session_id }))).toMatchObject({
      code: "ENOTFOUND",
      message: `session not found: ${session_id}`,
      hint: "session.list has the ids",
    });
    expect(await failure(client.call("session.start", { argv: ["nosuch"] }))).toMatchObject({
      details: { exit_code: 127 },
    });
    expect(await failure(client.call("session.start", {}))).toMatchObject({ code: "EBADARGS" });
    using second = await dial(bench);
    expect((await second.call("health.info", {})).clients).toBe(2);
  });
});

/** read(2) is the first system call of x86-64, and the 63rd of arm64. */
function blockedInRead(pid: number): boolean {
  return /^(?:0|63) /.test(readFileSync(`/proc/${pid}/syscall`, "latin1"));
}
