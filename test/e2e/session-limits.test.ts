/** Limits of a session as a whole, by a control group of its own: real ones, where this machine has them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { configure } from "../config/configure.ts";
import { failure } from "../client/failure.ts";
import { Bench } from "../support/holt.ts";
import { ControlGroups, whyNoSessionLimits } from "../support/control-groups.ts";

const why = whyNoSessionLimits();
if (why !== null) console.error(`\n!!! NOT TRIED: limits of a session as a whole: ${why}\n`);

function prepared(bench: Bench): ControlGroups {
  const groups = ControlGroups.mounted();
  if (groups === null) throw new Error("cgroup v2 cannot be mounted");
  groups.share();
  configure(bench, `limits.cgroup = "${groups.parent}"`);
  return groups;
}

const ended = (bench: Bench, id: string): Promise<void> =>
  until(`${id} has ended`, () => existsSync(join(bench.state, "sessions", id, "final.json")));

const notes = (bench: Bench): string[] =>
  readdirSync(join(bench.state, "run")).filter((name) => name.startsWith("group-"));

/** More than it may: 64 MiB in one piece, which it also touches. */
const HOG = ["dd", "if=/dev/zero", "of=/dev/null", "bs=64M", "count=1"];

describe.skipIf(why !== null).each([
  ["at a terminal, native", [], {}],
  ["at a terminal, without native code", [], { HOLT_NO_NATIVE: "1" }],
  ["on pipes, native", ["--no-pty"], {}],
  ["on pipes, without native code", ["--no-pty"], { HOLT_NO_NATIVE: "1" }],
] as [string, string[], Record<string, string>][])("holt start --limit session-…, %s", (_title, args, extra) => {
  const start = (bench: Bench, limits: string, ...command: string[]) =>
    bench.run(["start", "--session-id", "x", ...args, "--limit", limits, "--", ...command]);

  test("the command is in a group of its own from before its first instruction, its holder is not, and the group goes with it", async () => {
    using bench = new Bench(extra);
    using groups = prepared(bench);
    const script = "cat /proc/self/cgroup; sleep 60 & read x";
    expect(await start(bench, "session-memory=64M,session-processes=20", "sh", "-c", script)).toMatchObject({
      stderr: "",
      exitCode: 0,
    });
    const [name = ""] = groups.list();
    await until("it has told its group", () => bench.output("x").includes("0::"));
    expect(bench.output("x").toString()).toContain(`/${name}`);
    await until("all of it is in there", () => groups.pids(name).length === 2);
    expect(groups.pids(name)).toContain(bench.meta("x").process?.pid ?? -1);
    expect(groups.pids(name)).not.toContain(bench.meta("x").holder.pid);
    expect(notes(bench)).toHaveLength(1);
    await bench.run(["stop", "x"]);
    expect({ groups: groups.list(), notes: notes(bench) }).toEqual({ groups: [], notes: [] });
  });

  test("memory past the limit ends all of it, and the session says why", async () => {
    using bench = new Bench(extra);
    using groups = prepared(bench);
    const script = `sleep 60 & ${HOG.join(" ")}; echo survived`;
    await start(bench, "session-memory=16M", "sh", "-c", script);
    await ended(bench, "x");
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "limit_exceeded" });
    expect(bench.output("x").includes("survived")).toBe(false);
    expect(groups.list()).toEqual([]);
  });

  test("processes past the limit cannot be made", async () => {
    using bench = new Bench(extra);
    using _ = prepared(bench);
    await start(bench, "session-processes=3", "sh", "-c", "for i in 1 2 3 4 5; do sleep 60 & done; wait");
    await ended(bench, "x");
    expect(bench.output("x").toString()).toMatch(/[Cc]annot fork|Resource temporarily unavailable/);
  });

  test("a missing interpreter is told as without limits, and leaves no group", async () => {
    using bench = new Bench(extra);
    using groups = prepared(bench);
    await bench.shell("echo '#!/no/such' > t; chmod +x t");
    const refused = await bench.run(["start", ...args, "--limit", "session-processes=9", "--", "./t"]);
    expect(refused.stderr).toContain("its interpreter is missing");
    expect({ groups: groups.list(), notes: notes(bench) }).toEqual({ groups: [], notes: [] });
  });

  test("nothing of ours is left to the command", async () => {
    using bench = new Bench(extra);
    using _ = prepared(bench);
    await start(bench, "session-processes=9", "sh", "-c", "ls /proc/self/fd | tr '\\n' ' '");
    await ended(bench, "x");
    expect(bench.output("x").toString()).toStartWith("0 1 2 3 "); // 3 is ls's own
  });
});

describe.skipIf(why !== null)("a session's control group", () => {
  test("of a holder that was killed is removed by a sweep, once nothing is in it", async () => {
    using bench = new Bench();
    using groups = prepared(bench);
    const args = ["start", "--session-id", "x", "--no-pty", "--limit", "session-processes=9", "--", "sleep", "60"];
    expect(await bench.run(args)).toMatchObject({ exitCode: 0 });
    process.kill(bench.meta("x").holder.pid, "SIGKILL");
    await bench.run(["gc"]);
    expect(groups.list()).toHaveLength(1); // its survivor is in there
    await bench.run(["kill", "x"]);
    await bench.run(["gc"]);
    expect({ groups: groups.list(), notes: notes(bench) }).toEqual({ groups: [], notes: [] });
  });

  test("is also that of a foreground run, whose end is the command's", async () => {
    using bench = new Bench();
    using groups = prepared(bench);
    const { signal } = await bench.run(["run", "--limit", "session-memory=16M", "--", ...HOG]);
    expect(signal).toBe("SIGKILL");
    expect(bench.final()).toMatchObject({ reason: "limit_exceeded" });
    expect(groups.list()).toEqual([]);
  });

  test("is what a caller of the API gets, by what it asks for or by what is configured", async () => {
    await withDaemon(async (client, bench) => {
      using groups = ControlGroups.mounted();
      groups?.share();
      configure(bench, `limits.cgroup = "${groups?.parent}"\nlimits.session_memory_bytes = 16777216`);
      expect(await client.call("exec.run", { args: HOG })).toMatchObject({
        reason: "limit_exceeded",
        signal: "SIGKILL",
      });
      const { session_id } = await client.call("session.start", {
        argv: ["true"],
        limits: { session_processes: 50 },
      });
      await client.call("session.wait", { session_id, until: ["exit"] });
      expect(bench.meta(session_id).limits).toMatchObject({ session_memory_bytes: 16_777_216, session_processes: 50 });
    });
  });

  test("holt doctor says where it would be", async () => {
    using bench = new Bench();
    using groups = prepared(bench);
    expect((await bench.run(["doctor"])).text).toContain(
      `cgroup v2\tok\tsessions can have their own groups in ${groups.parent}\t`,
    );
    expect(groups.list()).toEqual([]);
  });
});

test("Where there can be no such group nothing is started, and it is said why and what to do.", async () => {
  using bench = new Bench();
  configure(bench, 'limits.cgroup = "/proc"');
  const args = ["start", "--session-id", "x", "--limit", "session-memory=16M", "--", "true"];
  const refused = await bench.run(args);
  expect(refused).toMatchObject({ exitCode: 125 });
  expect(refused.stderr).toContain(
    "cannot limit the session as a whole: limits.cgroup: /proc is not a cgroup v2 directory",
  );
  expect(refused.stderr).toContain("set limits.cgroup to");
  expect(bench.final("x")).toMatchObject({ state: "failed", reason: "spawn_failed" });
  expect(notes(bench)).toEqual([]);
  expect((await bench.run(["doctor"])).text).toMatch(
    /^cgroup v2\tmissing\tlimits\.cgroup: \/proc is not a cgroup v2 directory/m,
  );
  const ran = await bench.run(["run", "--limit", "session-processes=5", "--", "true"]);
  expect(ran).toMatchObject({ exitCode: 125 });
});

test("A limit of that kind that nobody could set is an error of the API too.", async () => {
  await withDaemon(async (client, bench) => {
    configure(bench, 'limits.cgroup = "/proc"');
    const asked = client.call("session.start", { argv: ["true"], limits: { session_processes: 5 } });
    expect(await failure(asked)).toMatchObject({ code: "ERLIMIT" });
  });
});
