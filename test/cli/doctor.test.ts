/** `holt doctor`. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileSystemOf, hasOpenat2, hasRenameat2, terminalProblem } from "../../src/platform/feature-probe.ts";
import { configure } from "../config/configure.ts";
import { end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";
import { CommandLine } from "./command-line.ts";

type Checks = { checks: { name: string; state: string; found: string; costs: string | null }[] };

async function checksOf(bench: Bench, env: Record<string, string> = {}) {
  const { text, exitCode } = await bench.run(["doctor", "--json"], { env });
  const { checks } = JSON.parse(text) as Checks;
  return { exitCode, of: (name: string) => checks.find((check) => check.name === name), checks };
}

describe("holt doctor", () => {
  test("shows the result of each check, and the consequence if it is not ok", async () => {
    using bench = new Bench();
    const { checks, of, exitCode } = await checksOf(bench);
    expect(exitCode).toBe(0);
    for (const { state, costs } of checks) expect([state, costs === null]).toEqual([state, state === "ok"]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "terminals",
        "cgroup v2",
        "openat2",
        "renameat2",
        "subreaper",
        "sockets",
        "tmux",
        "state directory",
        "file system",
        "daemon",
        "native poller",
        "configuration",
      ]),
    );
    expect(of("terminals")).toMatchObject({ state: "ok" });
    expect(of("state directory")).toMatchObject({ state: "ok", found: bench.state });
    expect(of("daemon")).toMatchObject({ state: "missing", found: "not running" });
    expect((await bench.run(["doctor"])).text).toMatch(/^terminals\tok\tavailable\t$/m);
  });

  test("shows a sign and a word on a terminal", async () => {
    using line = new CommandLine();
    const text = await line.seen(["doctor"], { cols: 100, env: { HOLT_NO_NATIVE: "1", NO_COLOR: "1" } });
    expect(text).toMatch(/^✓ terminals +available$/m);
    expect(text).toMatch(/^– native poller +missing: disabled by HOLT_NO_NATIVE; output is noticed/m);
  });

  test("checks the daemon, the length of socket paths, and the configuration", async () => {
    using bench = Bench.withDaemon();
    await bench.run(["daemon"]);
    expect((await checksOf(bench)).of("daemon")).toMatchObject({
      state: "ok",
      found: expect.stringContaining(`pid ${bench.daemonPid}`),
    });
    const long = join(bench.root, "d".repeat(100));
    expect((await checksOf(bench, { HOLT_STATE_DIR: long })).of("sockets")).toMatchObject({
      state: "missing",
      found: expect.stringMatching(/^\/tmp\/holt-/),
    });
    const path = configure(bench, "pty.max_client = 1");
    const wrong = await checksOf(bench);
    expect(wrong.exitCode).toBe(1);
    expect(wrong.of("configuration")).toEqual({
      name: "configuration",
      state: "wrong",
      found: `${path}:1: unknown key: pty.max_client`,
      costs: "did you mean pty.max_clients?",
    });
    // The invalid configuration was also reported as a missing feature of the machine.
    expect(JSON.stringify(wrong.of("cgroup v2"))).not.toContain("max_client");
    await end(bench);
  });

  test("reports a state directory that cannot be used", async () => {
    using bench = new Bench();
    const file = join(bench.root, "file");
    writeFileSync(file, "");
    const { of, exitCode } = await checksOf(bench, { HOLT_STATE_DIR: join(file, "state") });
    expect(exitCode).toBe(1);
    expect(of("state directory")).toMatchObject({ state: "wrong" });
  });
});

describe("The feature probes", () => {
  test("agree with other programs", async () => {
    expect(terminalProblem()).toBeNull();
    const found = Bun.spawnSync(["findmnt", "-n", "-o", "FSTYPE", "-T", "/proc/self"]).stdout.toString().trim();
    expect(fileSystemOf("/proc/self")).toBe(found);
    expect(fileSystemOf("/proc/self")).toBe("proc");
    const kernel = /^(\d+)\.(\d+)/.exec(Bun.spawnSync(["uname", "-r"]).stdout.toString());
    const isAtLeast56 = Number(kernel?.[1]) > 5 || (Number(kernel?.[1]) === 5 && Number(kernel?.[2]) >= 6);
    expect(hasOpenat2()).toBe(isAtLeast56);
    expect(hasRenameat2()).toBe(true);
  });
});
