/**
 * Plants secrets wherever a caller can put one, and searches all that holt writes, and the
 * arguments and environments of its processes.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { listFromHistory } from "../../src/client/sessions/history.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { maskArgv } from "../../src/platform/log/mask.ts";
import { until } from "../chaos/size.ts";
import { configure } from "../config/configure.ts";
import { withDaemon } from "../daemon/household.ts";
import { type Bench, HOLT } from "../support/holt.ts";

const IN_ENV = "pl4nted-in-env";
const IN_STDIN = "pl4nted-in-stdin";
const TYPED = "pl4nted-by-typing";
const SECRET = "pl4nted-as-secret";
const IN_ARGV = "pl4nted-in-argv";

/** Every file below, with its content. */
function files(directory: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(directory, { recursive: true }) as string[]) {
    const path = join(directory, name);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) found.set(name, readFileSync(path, "latin1"));
  }
  return found;
}

/** Arguments and environment of every process that is our executable. */
function ownProcesses(bench: Bench): string[] {
  const exe = realpathSync(HOLT);
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/exe`) !== exe) return [];
      const environ = readFileSync(`/proc/${pid}/environ`, "latin1");
      if (!environ.includes(bench.state)) return [];
      return [readFileSync(`/proc/${pid}/cmdline`, "latin1") + environ];
    } catch {
      return []; // gone
    }
  });
}

describe("A secret", () => {
  test("from a variable, stdin, typing, session.send or an argument is in no log, audit, record, event, database or process of holt", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, 'policy.max_calls = 100\nlog.level = "debug"');
      const env = { API_TOKEN: IN_ENV, PLAIN: IN_ENV };
      const argv = [
        "sh",
        "-c",
        "cat >/dev/null",
        "--password",
        IN_ARGV,
        `--token=${IN_ARGV}`,
        `DB_PASSWORD=${IN_ARGV}`,
        "-u",
        `me:${IN_ARGV}`,
        `https://me:${IN_ARGV}@host/`,
        `Authorization: Bearer ${IN_ARGV}`,
      ];
      await client.call("exec.run", { args: argv, env, stdin: IN_STDIN });
      await client.call("exec.run", {
        command: `cat >/dev/null # --api-key ${IN_ARGV} SECRET=${IN_ARGV}`,
        env,
        stdin: { data: btoa(IN_STDIN) },
      });
      await client.call("shell.run", { argv: ["/bin/cat", "/dev/null"], env, stdin: btoa(IN_STDIN) });
      const quiet = ["sh", "-c", "stty -echo; echo ready; cat >/dev/null"];
      const { session_id: typed } = await client.call("session.start", { argv: quiet, env });
      const { session_id: shown } = await client.call("session.start", { argv: ["cat"] });
      const { session_id: piped } = await client.call("session.start", {
        argv: ["sh", "-c", "cat >/dev/null"],
        env,
        pty: false,
      });
      await bench.run(["start", "--session-id", "mine", "--", ...quiet], { env: { PERSONAL: IN_ENV } });
      await until("they are ready", () => [typed, "mine"].every((id) => bench.output(id).includes("ready")));
      for (const session_id of [typed, piped, "mine"]) {
        await client.call("session.send", { session_id, text: `${TYPED}\n` });
        await client.call("session.send", { session_id, data: btoa(`${TYPED}\n`) });
        await bench.run(["send", session_id, "--text", TYPED, "--enter"]);
      }
      await client.call("session.send", { session_id: typed, paste: TYPED });
      await client.call("session.send", { session_id: typed, keys: ["enter"] });
      for (const session_id of [typed, piped, "mine"]) {
        await client.call("session.send", { session_id, secret: `${SECRET}\n` });
        await bench.run(["send", session_id, "--secret", "--enter"], { stdin: SECRET });
        await bench.run(["call", "session.send", "-"], { stdin: JSON.stringify({ session_id, secret: SECRET }) });
      }
      // Not even in error messages.
      const long = { session_id: typed, secret: SECRET.repeat(1000) };
      for (const wrong of [long, { session_id: typed, secret: [SECRET] }, { session_id: shown, secret: SECRET }]) {
        const refused = client.call("session.send", wrong as never).catch((error: unknown) => error);
        expect(JSON.stringify(await refused, Object.getOwnPropertyNames(await refused))).not.toContain(SECRET);
      }

      const processes = ownProcesses(bench);
      expect(processes.length).toBeGreaterThan(3); // the daemon, three holders, and their leaders
      for (const secret of [IN_ENV, IN_STDIN, TYPED, SECRET, IN_ARGV])
        expect({ secret, found: processes.filter((text) => text.includes(secret)) }).toEqual({ secret, found: [] });

      for (const session_id of [typed, piped, shown, "mine"]) await client.call("session.kill", { session_id });
      await bench.run(["daemon", "stop"]);
      expect(
        listFromHistory(layoutAt(bench.state), { filter: {}, detail: "whole", check: "stamps" })?.sessions.length,
      ).toBe(7);

      const written = files(bench.state);
      expect([...written.keys()]).toEqual(expect.arrayContaining(["log/holt.jsonl", "log/audit.jsonl", "holt.db"]));
      const holding = (secret: string): string[] =>
        [...written]
          .filter(([, text]) => text.includes(secret))
          .map(([name]) => name.replace(/sessions\/[^/]+/, "sessions/ID"));
      expect(holding(IN_ENV)).toEqual([]);
      expect(holding(IN_STDIN)).toEqual([]);
      expect(holding(TYPED)).toEqual([]);
      expect(holding(SECRET)).toEqual([]);
      expect(holding(btoa(SECRET))).toEqual([]);
      // The command line is kept with the session and in what is read from it.
      expect(new Set(holding(IN_ARGV))).toEqual(
        new Set(["sessions/ID/meta.json", ...holding(IN_ARGV).filter((name) => name.startsWith("holt.db"))]),
      );
    });
  });
});

// `session.exec` wrote its command to commands.jsonl, while docs/security.md said that input is
// never written; no test here used an integrated shell.
test("In an integrated shell a command is recorded with its session and masked in the audit; input it reads is stored nowhere.", async () => {
  await withDaemon(async (client, bench) => {
    const argv = ["bash", "--norc", "--noprofile"];
    const { session_id } = await client.call("session.start", { argv, env: { PS1: "$ " } });
    await client.call("session.wait", { session_id, until: ["prompt"] });
    const command = `API_TOKEN=${IN_ARGV}; read -rs password; echo read`;
    const { outcome, next_cursor } = await client.call("session.exec", { session_id, command, timeout_ms: 0 });
    expect(outcome).toBe("running");
    await client.call("session.wait", { session_id, cursor: next_cursor, until: ["input"] });
    await client.call("session.send", { session_id, text: `${TYPED}\n` });
    await client.call("session.wait", { session_id, until: ["prompt"] });
    const { commands } = await client.call("session.commands", { session_id });
    expect(commands).toMatchObject([{ command, exit_code: 0 }]);
    await client.call("session.kill", { session_id });
    await bench.run(["daemon", "stop"]);
    const written = files(bench.state);
    const holding = (secret: string): string[] =>
      [...written].filter(([, text]) => text.includes(secret)).map(([name]) => name.slice(name.lastIndexOf("/") + 1));
    expect(holding(TYPED)).toEqual([]);
    expect(holding(IN_ARGV).toSorted()).toEqual(["commands.jsonl", "output.bin"]); // its first line is shown
    expect(written.get("log/audit.jsonl")).toContain("API_TOKEN=***");
  });
});

describe("A command line in the log", () => {
  test.each([
    [
      ["curl", "--password", "x"],
      ["curl", "--password", "***"],
    ],
    [
      ["curl", "--api-key=x", "y"],
      ["curl", "--api-key=***", "y"],
    ],
    [
      ["curl", "-u", "me:x", "host"],
      ["curl", "-u", "me:***", "host"],
    ],
    [
      ["curl", "--user", "me", "host"],
      ["curl", "--user", "me", "host"],
    ],
    [
      ["ps", "-u", "root"],
      ["ps", "-u", "root"],
    ],
    [
      ["tool", "--passphrase", "x"],
      ["tool", "--passphrase", "***"],
    ],
    [
      ["env", "PGPASSWORD=x", "DB_PASS=x", "A=b", "psql"],
      ["env", "PGPASSWORD=***", "DB_PASS=***", "A=b", "psql"],
    ],
    [
      ["git", "clone", "https://me:x@host/a"],
      ["git", "clone", "https://me:***@host/a"],
    ],
    [
      ["echo", `ghp_${"a1".repeat(15)}`],
      ["echo", "***"],
    ],
    [
      ["echo", "AKIAABCDEFGHIJKLMNOP", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"],
      ["echo", "***", "***"],
    ],
    [
      ["mkdir", "-p", "a/b"],
      ["mkdir", "-p", "a/b"],
    ],
    [
      ["ssh", "-p", "22", "host"],
      ["ssh", "-p", "22", "host"],
    ],
    [
      ["sh", "-c", "curl -H 'Cookie: a=b' --token x"],
      ["sh", "-c", "curl -H 'Cookie: ***' --token ***"],
    ],
  ])("%j", (argv, masked) => {
    expect(maskArgv(argv)).toEqual(masked);
  });
});
