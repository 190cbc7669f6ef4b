/** Limits of a command's own: what the kernel makes of them, and what the session says when one of them ended it. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../client/failure.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";

async function ended(bench: Bench, id: string): Promise<void> {
  await until(`${id} has ended`, () => existsSync(join(bench.state, "sessions", id, "final.json")));
}

const SHOWN = "ulimit -t -v -n -u -f";
const LIMITS = "cpu=10s,memory=4G,files=100,processes=5000,file-size=1M";
/** `ulimit` counts memory in KiB and, in bash, files in KiB too. */
const AS_SHOWN = ["10", "4194304", "100", "5000", "1024"];

const numbers = (text: string): string[] => [...text.matchAll(/(\d+)\r?\n/g)].map(([, number = ""]) => number);

describe.each([
  ["at a terminal, native", [], {}],
  ["at a terminal, without native code", [], { HOLT_NO_NATIVE: "1" }],
  ["on pipes, native", ["--no-pty"], {}],
  ["on pipes, without native code", ["--no-pty"], { HOLT_NO_NATIVE: "1" }],
] as [string, string[], Record<string, string>][])("holt start --limit, %s", (_, args, extra) => {
  const start = (bench: Bench, limits: string, ...command: string[]) =>
    bench.run(["start", "--session-id", "x", ...args, "--limit", limits, "--", ...command]);

  test("the command has them, hard ones, and its holder has not", async () => {
    using bench = new Bench(extra);
    const script = `${SHOWN}; ulimit -H -n; until [ -e go ]; do sleep 0.02; done`;
    expect(await start(bench, LIMITS, "bash", "-c", script)).toMatchObject({ stderr: "", exitCode: 0 });
    await until("it has told them", () => numbers(bench.output("x").toString()).length === 6);
    expect(numbers(bench.output("x").toString())).toEqual([...AS_SHOWN, "100"]);
    const own = await Bun.file(`/proc/${bench.meta("x").holder.pid}/limits`).text();
    expect(own).toMatch(/Max cpu time +unlimited/);
    expect(bench.meta("x").limits).toEqual({
      cpu_ms: 10_000,
      memory_bytes: 4 * 1024 ** 3,
      files: 100,
      processes: 5000,
      file_size_bytes: 1024 ** 2,
      session_memory_bytes: null,
      session_processes: null,
    });
    await Bun.write(join(bench.root, "go"), "");
    await ended(bench, "x");
  });

  test("a file that grows too large ends it, and the session says so", async () => {
    using bench = new Bench(extra);
    expect(await start(bench, "file-size=64K", "dd", "if=/dev/zero", "of=big", "bs=4096", "count=100")).toMatchObject({
      exitCode: 0,
    });
    await ended(bench, "x");
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGXFSZ", reason: "limit_exceeded" });
    expect(Bun.file(join(bench.root, "big")).size).toBe(65_536);
  });

  test("a script without #! and a missing interpreter are as without limits", async () => {
    using bench = new Bench(extra);
    await bench.shell(`echo 'echo "[$1]"' > s; echo '#!/no/such' > t; chmod +x s t`);
    expect(await start(bench, "files=64", "./s", "two words")).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench, "x");
    expect(bench.output("x").toString().trimEnd()).toBe("[two words]");
    const refused = await bench.run(["start", ...args, "--limit", "files=64", "--", "./t"]);
    expect(refused).toMatchObject({ exitCode: 126 });
    expect(refused.stderr).toContain("cannot execute ./t: its interpreter is missing");
  });

  test("nothing of ours is left to the command: no descriptor, no ignored signal", async () => {
    using bench = new Bench(extra);
    const script = "ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' /proc/self/status";
    expect(await start(bench, "files=64", "sh", "-c", script)).toMatchObject({ exitCode: 0 });
    await ended(bench, "x");
    const text = bench.output("x").toString();
    expect(text).toStartWith("0 1 2 3 "); // 3 is ls's own
    expect(text.match(/0{16}/g)).toHaveLength(2);
  });
});

describe("what a limit comes to", () => {
  test("processor time ends it by SIGXCPU, with the reason in its record and in the list", async () => {
    using bench = new Bench();
    const spin = ["sh", "-c", "while :; do :; done"];
    expect(await bench.run(["start", "--session-id", "x", "--limit", "cpu=1s", "--", ...spin])).toMatchObject({
      exitCode: 0,
    });
    await ended(bench, "x");
    expect(bench.final("x")).toMatchObject({ state: "signaled", signal: "SIGXCPU", reason: "limit_exceeded" });
    expect((await bench.run(["show", "x"])).text).toContain("limits\tcpu 1000 ms\n");
  });

  /** Honest: a call that fails is the program's affair, and one that minds no SIGXCPU is killed by a signal that anybody may have sent. */
  test("of what only fails a call nothing is claimed", async () => {
    using bench = new Bench();
    const script = "exec 3<. 4<. 5<.";
    await bench.run(["start", "--session-id", "x", "--limit", "files=5", "--no-pty", "--", "bash", "-c", script]);
    await ended(bench, "x");
    expect(bench.output("x").toString()).toContain("Too many open files");
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 1, reason: "completed" });
  });

  test("a stop that was asked for stays one", async () => {
    using bench = new Bench();
    await bench.run(["start", "--session-id", "x", "--limit", "cpu=9s", "--", "sleep", "60"]);
    await bench.run(["stop", "x", "--signal", "XCPU"]);
    expect(bench.final("x")).toMatchObject({ signal: "SIGXCPU", reason: "stop_requested" });
  });

  test("each attempt of a restart has them", async () => {
    using bench = new Bench();
    const restart = ["--restart", "on-failure", "--max-restarts", "1", "--restart-delay", "0s"];
    await bench.run(["start", "--no-pty", ...restart, "--limit", "files=77", "--", "sh", "-c", "ulimit -n; exit 1"]);
    await until("both have ended", () => bench.started().length === 2 && bench.ids.every((id) => isOver(bench, id)));
    expect(bench.ids.map((id) => bench.output(id).toString())).toEqual(["77\n", "77\n"]);
  });
});

describe("holt run --limit", () => {
  test("on pipes and at a terminal, and dies as the command died", async () => {
    using bench = new Bench();
    expect(
      await bench.run(["run", "--limit", "files=50,cpu=5s", "--", "sh", "-c", "ulimit -n; ulimit -t"]),
    ).toMatchObject({
      text: "50\n5\n",
      exitCode: 0,
    });
    const env = { ...bench.env, HOLT };
    await using user = new TerminalUser(
      [HOLT, "run", "--limit", "files=50", "--", "sh", "-c", "ulimit -n; kill -XFSZ $$"],
      {
        env,
        cwd: bench.root,
      },
    );
    expect((await user.exit()).signal).toBe("SIGXFSZ");
    expect(user.text).toBe("50\r\n");
  });

  test("what is no limit is named, with what would be one", async () => {
    using bench = new Bench();
    const refusals = [
      ["memory=lots", 'invalid --limit: "memory=lots"', "use bytes, with K, M, G or T"],
      ["cpu=10", 'invalid --limit: "cpu=10"', "use a duration"],
      ["files=0", 'invalid --limit: "files=0"', "use a whole number from 1 on"],
      ["ram=1G", 'invalid --limit: "ram=1G"', "use one of cpu, memory, files, processes, file-size"],
      ["process=9", 'invalid --limit: "process=9"', "did you mean processes?"],
      ["cpu", 'invalid --limit: "cpu"', "use WHAT=MOST"],
    ] as const;
    for (const [given, message, hint] of refusals) {
      const { stderr, exitCode } = await bench.run(["run", "--limit", given, "--", "true"]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(message);
      expect(stderr.replaceAll(/\s+/g, " ")).toContain(hint);
    }
    expect(existsSync(join(bench.state, "sessions"))).toBe(false);
  });
});

describe("session.start {limits}", () => {
  test("through a warm holder; a wrong one is named", async () => {
    await withDaemon(async (client, bench) => {
      const command = { command: "ulimit -n", pty: false as const, session_id: "x" };
      const session = await client.call("session.start", { ...command, limits: { files: 33 } });
      expect(session.limits).toMatchObject({ files: 33, cpu_ms: null });
      await ended(bench, "x");
      expect(bench.output("x").toString()).toBe("33\n");
      expect(await failure(client.call("session.start", { argv: ["true"], limits: { files: 0 } }))).toMatchObject({
        code: "EBADARGS",
        message: "session.start: limits.files: got 0, expected a whole number of at least 1",
      });
    });
  });
});

function isOver(bench: Bench, id: string): boolean {
  return existsSync(join(bench.state, "sessions", id, "final.json"));
}
