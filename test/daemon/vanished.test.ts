/**
 * Found by a breaker: a removed `daemon.sock` cut every caller off until a person ran `holt daemon restart`, as the daemon held its lock and nobody could find it;
 * a daemon whose files were removed never ended, and took its successor's socket with it when it did; and one that could not start told nobody why.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";
import { dial, end, warmHolders } from "./household.ts";

describe("A daemon whose socket was removed", () => {
  test.each(["call health.info", "daemon --json", "daemon status --json"])(
    "is found again by holt %s",
    async (line) => {
      using bench = Bench.withDaemon();
      await bench.run(["daemon"]);
      const pid = bench.daemonPid;
      unlinkSync(socketOf(bench));
      const { text, stderr, exitCode } = await bench.run(line.split(" "));
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      expect(JSON.parse(text)).toMatchObject({ pid });
      expect(text.includes('"socket_was_missing":true')).toBe(line.includes("status"));
      expect(readFileSync(join(bench.state, "log", "holt.jsonl"), "utf8")).toContain("the daemon's socket was removed");
      await end(bench);
    },
  );

  test("binds it again after a start went without it, and keeps who is connected", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    using connected = await dial(bench);
    unlinkSync(socketOf(bench));
    expect(await bench.run(["start", "--no-pty", "--", "true"])).toMatchObject({ stderr: "", exitCode: 0 });
    await until("it is there again", () => existsSync(socketOf(bench)));
    const { pid } = await connected.call("health.info", {});
    using client = await dial(bench);
    expect((await client.call("health.info", {})).pid).toBe(pid);
    await end(bench);
  });

  test("takes its name back from what lies there", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const pid = bench.daemonPid;
    unlinkSync(socketOf(bench));
    writeFileSync(socketOf(bench), "");
    expect(JSON.parse((await bench.run(["call", "health.info"])).text)).toMatchObject({ pid });
    await end(bench);
  });

  test("is told by doctor", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    unlinkSync(socketOf(bench));
    expect((await bench.run(["doctor"])).text).toMatch(
      /^daemon\tok\t.*its socket was missing and has been created again/m,
    );
    await end(bench);
  });

  test("is told by status to be there where it cannot bind it again", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const pid = bench.daemonPid ?? 0;
    process.kill(pid, "SIGSTOP");
    unlinkSync(socketOf(bench));
    const { text, exitCode } = await bench.run(["daemon", "status", "--json"]);
    expect({ exitCode, ...JSON.parse(text) }).toEqual({ exitCode: 4, running: true, answers: false, pid });
    await end(bench);
  });
});

describe("A daemon whose lock was removed", () => {
  test("leaves its successor's socket alone when it ends", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    const first = bench.daemonPid ?? 0;
    unlinkSync(socketOf(bench));
    unlinkSync(lockOf(bench));
    const second = pidIn((await bench.run(["call", "health.info"])).text);
    expect(second).not.toBe(first);
    const { ino } = statSync(socketOf(bench));
    process.kill(first, "SIGTERM");
    await until("it has ended", () => !isAlive(first));
    expect(statSync(socketOf(bench)).ino).toBe(ino);
    expect(pidIn((await bench.run(["call", "health.info"])).text)).toBe(second);
    await end(bench);
  });

  test.each(["lock", "directory"])(
    "ends when it looks (%s), with the holders that wait, and sessions live on",
    async (what) => {
      using bench = Bench.withDaemon();
      await bench.run(["start", "--session-id", "x", "--", "sleep", "60"]);
      await bench.run(["daemon"]);
      const pid = bench.daemonPid ?? 0;
      const session = bench.meta("x");
      // Forced: a warm holder may take away a name of its own meanwhile.
      rmSync(what === "lock" ? lockOf(bench) : join(bench.state, "run"), { recursive: true, force: true });
      process.kill(pid, "SIGUSR1"); // as it does every minute by itself
      await until("it has ended", () => !isAlive(pid));
      await until("nobody waits for a session", () => warmHolders(bench).length === 0);
      expect(existsSync(socketOf(bench))).toBe(false);
      expect(isAlive(session.process?.pid ?? 0)).toBe(true);
      expect(pidIn((await bench.run(["call", "health.info"])).text)).not.toBe(pid);
      await bench.run(["kill", "x"]);
      await end(bench);
    },
  );
});

describe("A daemon that cannot start", () => {
  test("tells why to whoever waits for it: a full disk, which doctor sees too", async () => {
    using bench = Bench.withDaemon();
    mkdirSync(bench.state);
    const run = (...argv: string[]) => expect(Bun.spawnSync(argv).exitCode).toBe(0);
    run("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", bench.state);
    try {
      Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(bench.state, "ballast")}`, "bs=4096"], { stderr: "ignore" });
      const { text, exitCode } = await bench.run(["call", "health.info"]);
      expect(exitCode).toBe(1);
      expect(JSON.parse(text).error).toMatchObject({
        code: "EIO",
        message: `cannot start a daemon in ${bench.state}: ENOSPC: write`,
        hint: expect.stringContaining("free some space"),
      });
      expect((await bench.run(["doctor"])).text).toMatch(/^state directory\twrong\t.*ENOSPC/m);
      unlinkSync(join(bench.state, "ballast"));
      expect((await bench.run(["doctor"])).text).toMatch(/^state directory\tok\t/m);
      expect(await bench.run(["call", "health.info"])).toMatchObject({ exitCode: 0 });
      await end(bench);
    } finally {
      run("umount", "-l", bench.state);
    }
  });

  test.each([8, 12, 13, 15, 31])("tells why to whoever waits for it: %d descriptors", async (limit) => {
    using bench = Bench.withDaemon();
    const { text } = await bench.shell(`ulimit -n ${limit}; "$HOLT" call health.info`);
    expect(JSON.parse(text).error).toMatchObject({
      code: "EIO",
      message: expect.stringContaining("EMFILE"),
      hint: expect.stringContaining("ulimit -n"),
    });
    expect(bench.daemonPid).toBe(null);
  });
});

function socketOf(bench: Bench): string {
  return join(bench.state, "run", "daemon.sock");
}

function lockOf(bench: Bench): string {
  return join(bench.state, "run", "daemon.lock");
}

function pidIn(health: string): number {
  return (JSON.parse(health) as { pid: number }).pid;
}

/** Starts failed until something else made the directory again; and, for a while, a session went to where the directory had been moved, and nobody found it. */
describe("Where sessions are kept", () => {
  test.each(["removed", "moved away", "moved away, and another put in its place"])(
    "was %s: a start finds it",
    async (how) => {
      using bench = Bench.withDaemon();
      await bench.run(["daemon"]);
      await until("holders wait", () => warmHolders(bench).length === 3);
      const place = join(bench.state, "sessions");
      if (how === "removed") rmSync(place, { recursive: true });
      else renameSync(place, join(bench.root, "elsewhere"));
      if (how.includes("another")) mkdirSync(place, { mode: 0o700 });
      for (const id of ["a", "b", "c", "d"]) {
        expect(await bench.run(["start", "--session-id", id, "--", "sh", "-c", "exit 5"])).toMatchObject({
          exitCode: 0,
        });
        expect((await bench.run(["wait", id, "--exit-code"])).exitCode).toBe(5);
      }
      await end(bench);
    },
  );
});
