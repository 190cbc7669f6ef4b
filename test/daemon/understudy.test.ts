/**
 * A warm holder has a process that waits for the command. What is started that way must not be told from what is started the long way, and nothing of it
 * may be left where no session came.
 */
import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/processes.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { configure } from "../config/configure.ts";
import { Bench } from "../support/holt.ts";
import { end, understudies, warmHolders, withDaemon } from "./household.ts";

const HAS_NATIVE = process.platform === "linux" && process.arch === "x64";
const TRANSPORTS = [
  ["on pipes", ["--no-pty"]],
  ["at a terminal", []],
] as const;

describe.skipIf(!HAS_NATIVE)("The process that waits for a command", () => {
  test.each(["SIGKILL", "SIGTERM"] as const)("ends with its holder, when that gets %s", async (signal) => {
    await withDaemon(async (_client, bench) => {
      const waiting = await understudies(bench);
      for (const pid of warmHolders(bench)) process.kill(pid, signal);
      await until("none is left", () => !waiting.some(isAlive));
    });
  });

  test.each([
    ["is stopped", async (bench: Bench) => void (await bench.run(["daemon", "stop"]))],
    ["is killed", async (bench: Bench) => bench.killDaemon()],
  ])("ends when the daemon %s", async (_how, stop) => {
    await withDaemon(async (_client, bench) => {
      const waiting = await understudies(bench);
      await stop(bench);
      await until("none is left", () => !waiting.some(isAlive));
    });
  });

  test("becomes the command on pipes, and leads its session", async () => {
    await withDaemon(async (_client, bench) => {
      const waiting = await understudies(bench);
      await bench.run(["start", "--session-id", "p", "--no-pty", "--", "sleep", "60"]);
      const { pid = 0, start_time } = bench.meta("p").process ?? {};
      expect(waiting).toContain(pid);
      expect(processStatus(pid)).toMatchObject({
        parent: bench.meta("p").holder.pid,
        group: pid,
        session: pid,
        startTime: start_time ?? -1,
      });
      await bench.run(["kill", "p"]);
    });
  });

  test.each(TRANSPORTS)("is none where the session is to have a control group, %s", async (_where, options) => {
    await withDaemon(async (_client, bench) => {
      configure(bench, 'limits.cgroup = "/proc"'); // which is none: it is refused after all else is there
      const waiting = await understudies(bench);
      const limited = ["--session-id", "g", "--limit", "session-memory=16M", ...options];
      expect(await bench.run(["start", ...limited, "--", "true"])).toMatchObject({ exitCode: 125 });
      expect(bench.meta("g")).toMatchObject({ process: null, started_at: null });
      expect(bench.final("g")).toMatchObject({ state: "failed", reason: "spawn_failed" });
      await until("one is gone", () => waiting.filter(isAlive).length === 2);
    });
  });

  test("leads the terminal's session, with the command in front", async () => {
    await withDaemon(async (_client, bench) => {
      const waiting = await understudies(bench);
      await bench.run([
        "start",
        "--session-id",
        "t",
        "--",
        "sh",
        "-c",
        "tty; : >/dev/tty; ps -o tpgid= -p $$; exec sleep 60",
      ]);
      await until("it has printed", () => bench.output("t").toString().split("\n").length > 2);
      const { pid = 0 } = bench.meta("t").process ?? {};
      const { parent = 0, session, group } = processStatus(pid) ?? {};
      expect(waiting).toContain(parent);
      expect({ session, group }).toEqual({ session: parent, group: pid });
      expect(bench.output("t").toString()).toMatch(new RegExp(`^/dev/pts/\\d+\\r\\n *${pid}\\r\\n$`));
      await bench.run(["signal", "t", "INT"]);
      await until("it has ended", () => !isAlive(pid) && !isAlive(parent));
    });
  });

  test.each(TRANSPORTS)("is not missed where somebody killed it, %s", async (_where, options) => {
    await withDaemon(async (_client, bench) => {
      for (const pid of await understudies(bench)) process.kill(pid, "SIGKILL");
      await ended(bench, "x", [...options, "--", "sh", "-c", "exit 3"]);
      expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 3 });
    });
  });

  test.each(TRANSPORTS)("leaves long command lines and channels to others, %s", async (_where, options) => {
    await withDaemon(async (client, bench) => {
      await understudies(bench);
      const long = "x".repeat(100_000);
      await ended(bench, "long", [...options, "--", "sh", "-c", 'printf %s "${#1}"', "sh", long]);
      expect(bench.output("long").toString()).toBe("100000");
      await understudies(bench);
      const channels = [{ name: "mine", source: "fd", format: "raw" } as const];
      const pty = options.length === 0 ? { cols: 80, rows: 24 } : (false as const);
      const argv = ["sh", "-c", 'eval "echo hello >&$HOLT_CHANNEL_MINE_FD"'];
      await client.call("session.start", { session_id: "c", argv, pty, channels });
      expect(await client.call("session.wait", { session_id: "c" })).toMatchObject({ outcome: "exited", exit_code: 0 });
      expect(bench.output("c").toString()).toBe("hello\n");
    });
  });
});

describe.each(TRANSPORTS)("A start through a warm holder, %s", (_where, options) => {
  test("gives the command what any start gives it", async () => {
    await withDaemon(async (_client, bench) => {
      await understudies(bench);
      // What it has open, its signals, umask, directory, limits, arguments and environment.
      const script = `ls -m /proc/self/fd; grep -E '^(Sig|Shd)(Pnd|Blk|Ign|Cgt)' /proc/self/status; umask; pwd; ulimit -a; printf '[%s]' "$@"; env | grep -v '^HOLT_SESSION_ID=\\|^HOLT_NO_DAEMON=\\|^_=' | sort`;
      const command = [...options, "--cwd", "/usr", "--", "sh", "-c", `umask 027; ${script}`, "sh", "", "a b", "ü\n"];
      await ended(bench, "warm", command);
      await ended(bench, "cold", command, { HOLT_NO_DAEMON: "1" });
      expect(bench.output("warm").toString()).toBe(bench.output("cold").toString());
      expect(bench.output("warm").toString()).toMatch(/^0, 1, 2, 3\r?\n/); // the last is the directory that is listed
      const { argv, cwd, env_keys, transport_mode } = bench.meta("cold");
      expect(bench.meta("warm")).toMatchObject({ argv, cwd, env_keys, transport_mode });
    });
  });

  test("sets limits, and runs a script without #! through the shell", async () => {
    await withDaemon(async (_client, bench) => {
      await understudies(bench);
      writeExecutable(bench, "plain", 'echo "$1 $(ulimit -n)"');
      await ended(bench, "x", [...options, "--limit", "files=64", "--", "./plain", "one two"]);
      expect(bench.output("x").toString().trim()).toBe("one two 64");
    });
  });

  test("fails as any start fails", async () => {
    await withDaemon(async (_client, bench) => {
      writeExecutable(bench, "strange", "#!/no/such/interpreter\n");
      writeFileSync(join(bench.root, "closed"), "");
      const wrong = [["no-such"], ["./no-such"], ["/usr"], ["./closed"], ["./strange"]];
      for (const [i, command] of wrong.entries()) {
        await understudies(bench);
        const start = ["start", ...options, "--", ...command];
        const warm = await bench.run([...start.slice(0, 1), "--session-id", `w${i}`, ...start.slice(1)]);
        const cold = await bench.run(start, { env: { HOLT_NO_DAEMON: "1" } });
        expect(warm).toEqual(cold);
        expect(warm.exitCode).toBeGreaterThanOrEqual(126);
        expect(bench.meta(`w${i}`)).toMatchObject({ process: null, started_at: null });
        expect(bench.final(`w${i}`)).toMatchObject({ state: "failed", reason: "spawn_failed", started_at: null });
      }
      const elsewhere = ["start", ...options, "--cwd", "/no/such", "--", "true"];
      const warm = await bench.run(elsewhere);
      expect(warm).toEqual(await bench.run(elsewhere, { env: { HOLT_NO_DAEMON: "1" } }));
      expect(warm.stderr).toContain("cannot enter the working directory /no/such: ENOENT");
    });
  });
});

test.each(TRANSPORTS)(
  "Where there is no small program a warm holder starts its command itself, %s",
  async (_where, options) => {
    using bench = Bench.withDaemon({ HOLT_NO_NATIVE: "1" });
    await bench.run(["daemon"]);
    await until("three wait", () => warmHolders(bench).length === 3);
    await ended(bench, "x", [...options, "--", "sh", "-c", "echo hello; exit 3"]);
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 3 });
    expect(bench.output("x").toString().trim()).toBe("hello");
    await end(bench);
  },
);

async function ended(
  bench: Bench,
  id: string,
  rest: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  const { exitCode, stderr } = await bench.run(["start", "--session-id", id, ...rest], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  await bench.run(["wait", id]);
}

function writeExecutable(bench: Bench, name: string, text: string): void {
  writeFileSync(join(bench.root, name), text);
  chmodSync(join(bench.root, name), 0o755);
}
