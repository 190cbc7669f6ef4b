import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaults } from "../../src/config/keys.ts";
import { Audit } from "../../src/daemon/audit/audit.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { end, withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

type Entry = Record<string, unknown>;

function records(bench: Bench): Entry[] {
  const path = join(bench.state, "log", "audit.jsonl");
  if (!existsSync(path)) return [];
  // a line without a newline is still being written; a new file has no line
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
}

const CALLING = { signal: new AbortController().signal, correlationId: null };

describe("The audit", () => {
  test("records caller, method, command, outcome, duration and the policy's decision", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\ndeny = ["curl"]\n');
      await client.call("exec.run", {
        args: ["sh", "-c", "cat; exit 3"],
        cwd: "/tmp",
        env: { A_KEY: "v" },
        stdin: "12345",
      });
      const ran = records(bench).at(-1); // it is on disk before the answer
      expect(ran).toEqual({
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        correlation_id: expect.stringMatching(/^\w+-\w+$/),
        method: "exec.run",
        caller: expect.any(String),
        caller_kind: "program",
        caller_pid: process.pid,
        session_id: bench.ids[0],
        argv: ["sh", "-c", "cat; exit 3"],
        cwd: "/tmp",
        env_keys: expect.arrayContaining(["A_KEY", "PATH"]),
        duration_ms: expect.any(Number),
        error: null,
        exit_code: 3,
        input_bytes: 5,
        output_bytes: 5,
        policy: { verdict: "allow", rule: "policy.otherwise" },
      });
      expect(await failure(client.call("exec.run", { args: ["curl", "--token", "s3cret"] }))).toMatchObject({
        code: "EDENIED",
      });
      expect(records(bench).at(-1)).toMatchObject({
        argv: ["curl", "--token", "***"],
        error: "EDENIED",
        policy: { verdict: "deny", rule: 'policy.deny "curl"' },
      });
      expect(await failure(client.call("session.kill", { session_id: "nobody" }))).toMatchObject({ code: "ENOTFOUND" });
      expect(records(bench).at(-1)).toMatchObject({ method: "session.kill", session_id: "nobody", error: "ENOTFOUND" });
      expect(await failure(client.call("session.start", { argv: 3 as never }))).toMatchObject({ code: "EBADARGS" });
      expect(records(bench).at(-1)).toMatchObject({ method: "session.start", error: "EBADARGS" });
      await bench.run(["start", "--session-id", "mine", "--", "true"]);
      expect(records(bench).at(-1)).toMatchObject({ caller: "holt start", caller_kind: "person", session_id: "mine" });
      expect(new Set(records(bench).map(({ correlation_id }) => correlation_id)).size).toBe(records(bench).length);
      expect((statSync(join(bench.state, "log", "audit.jsonl")).mode & 0o777).toString(8)).toBe("600");
    });
  });

  test("records reads a moment later, unknown methods, and the user's answer", async () => {
    await withDaemon(async (client, bench) => {
      await client.call("health.info", {});
      await failure(client.call("nonsense" as "health.info", {}));
      const has = (wanted: Entry): boolean =>
        records(bench).some((entry) => Object.entries(wanted).every(([key, value]) => entry[key] === value));
      await until(
        "both are there",
        () => has({ method: "health.info", error: null }) && has({ method: "nonsense", error: "EBADARGS" }),
      );
      configure(bench, '[policy]\nask = ["echo"]\n');
      const asked = failure(client.call("exec.run", { args: ["echo"] }));
      await until("it is asked", () => isAsked(join(bench.state, "approvals")));
      const [{ approval_id }] = JSON.parse((await bench.run(["approvals", "--json"])).text).approvals;
      await bench.run(["deny", approval_id]);
      await asked;
      expect(records(bench).at(-1)).toMatchObject({
        policy: { verdict: "ask", rule: 'policy.ask "echo"', approval_id, approval: "denied" },
      });
    });
  });

  // Aliases were looked up in the table as given: an unknown one passed for a read, and with
  // "acting" left no record.
  test("records calls under their methods' names, also when called by an alias", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, `audit.calls = "acting"\nfs.roots = [${JSON.stringify(bench.root)}]`);
      const call = (name: string, params: object) => client.call(name as "health.info", params as never);
      await call("execute_command", { command: "true" });
      expect(records(bench).at(-1)).toMatchObject({ method: "exec.run", alias: "execute_command", exit_code: 0 });
      await call("fs.writeFile", { path: join(bench.root, "x"), data: btoa("12345") });
      expect(records(bench).at(-1)).toMatchObject({ method: "fs.write_file", alias: "fs.writeFile", input_bytes: 5 });
      await call("exec.run", { command: "true" });
      expect(records(bench).at(-1)).not.toHaveProperty("alias");
    });
  });

  // pty.* records had no session, and the bytes of pty.read, text reads, files and session.exec
  // were not counted.
  test("records the session of each call and the bytes of each answer", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, `fs.roots = [${JSON.stringify(bench.root)}]`);
      const { id } = await client.call("pty.open", { argv: ["/bin/bash", "--norc"], env: { PS1: "$ " } });
      expect(records(bench).at(-1)).toMatchObject({ method: "pty.open", session_id: id });
      await client.call("session.wait", { session_id: id, until: ["prompt"] });
      await client.call("pty.send", { id, data: btoa("\n") });
      expect(records(bench).at(-1)).toMatchObject({ method: "pty.send", session_id: id, input_bytes: 1 });
      await client.call("session.wait", { session_id: id, until: ["prompt"] });
      await client.call("session.exec", { session_id: id, command: "printf 12345" });
      expect(records(bench).at(-1)).toMatchObject({ method: "session.exec", input_bytes: 12, output_bytes: 5 });
      const { chunks } = await client.call("pty.read", { id });
      const { text = "" } = await client.call("session.read", { session_id: id, view: "text" });
      await client.call("fs.write_file", { path: join(bench.root, "x"), data: btoa("1234567") });
      await client.call("fs.read_file", { path: join(bench.root, "x") });
      const read = chunks.reduce((sum, { data }) => sum + atob(data).length, 0);
      const has = (method: string, fields: Entry): boolean =>
        records(bench).some((entry) => Bun.deepMatch({ method, ...fields }, entry));
      await until(
        "all are there",
        () =>
          has("pty.read", { session_id: id, output_bytes: read }) &&
          has("session.read", { session_id: id, output_bytes: text.length }) &&
          has("fs.read_file", { output_bytes: 7 }),
      );
      expect(read).toBeGreaterThan(5);
      await client.call("pty.close", { id });
    });
  });

  test("leaves out what the configuration excludes", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, 'audit.calls = "acting"');
      await client.call("exec.run", { args: ["true"] });
      await client.call("session.list", {});
      configure(bench, 'audit.calls = "none"');
      await client.call("exec.run", { args: ["true"] });
      await client.call("exec.run", { args: ["true"] });
      await bench.run(["daemon", "stop"]);
      // `holt daemon` itself calls the daemon before anything is configured
      const methods = records(bench).map(({ method }) => method);
      expect(methods.filter((method) => method !== "health.info")).toEqual(["exec.run"]);
    });
  });

  test("resolves aliases: a call that acts is on disk before its answer", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, 'audit.calls = "acting"');
      await client.call("exec.run", { args: ["true"] }); // the call that reads the configuration
      await client.call("execute_command" as "exec.run", { args: ["true"] });
      expect(records(bench).at(-1)).toMatchObject({ method: "exec.run", session_id: bench.ids[1], exit_code: 0 });
    });
  });

  test("is rotated, and buffered records are written at the end", () => {
    const root = mkdtempSync(join(tmpdir(), "h-"));
    const path = join(root, "audit.jsonl");
    const caller = {
      kind: "program",
      label: "x",
      pid: 1,
      process: null,
      key: "x 1",
      via: "socket",
      grantedSession: null,
    } as const;
    {
      using audit = new Audit(path, { lastValid: { ...defaults(), "audit.max_bytes": 4096, "audit.keep": 2 } });
      for (let i = 0; i < 2000; i++) {
        const call = { caller, method: "session.list", alias: null, params: {}, from: CALLING };
        const known = { id: `e-${i.toString(36)}`, began: 0, start: null, decision: null, approval: null };
        audit.record({ call: { ...call, ...known }, durationMs: 1, outcome: { result: {} } });
      }
    }
    expect(readdirSync(root).toSorted()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
    const last = readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ correlation_id: `e-${(1999).toString(36)}` });
    rmSync(root, { recursive: true });
  });
});

test("A call that starts nothing has a record with the same fields.", () => {
  const root = mkdtempSync(join(tmpdir(), "h-"));
  const path = join(root, "audit.jsonl");
  const told = (method: string): Entry => {
    const call = {
      caller: { kind: "program", label: 'a "b"', pid: 7, process: null, key: "", via: "socket", grantedSession: null },
      method,
      alias: 'old "name"',
      params: { session_id: 'x"', text: "abc" },
      from: CALLING,
    } as const;
    {
      using audit = new Audit(path, { lastValid: defaults() });
      const outcome = { result: { exit_code: 3, content: "12345" } };
      audit.record({
        call: { ...call, id: "e-1", began: 0, start: null, decision: null, approval: null },
        durationMs: 1.23456,
        outcome,
      });
    }
    return JSON.parse(readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "") as Entry;
  };
  const short = told("session.screen");
  expect(short).toEqual({ ...told("session.signal"), time: expect.any(String), method: "session.screen" });
  expect(short).toMatchObject({
    session_id: 'x"',
    caller: 'a "b"',
    duration_ms: 1.235,
    exit_code: 3,
    input_bytes: 3,
    output_bytes: 5,
  });
  rmSync(root, { recursive: true });
});

/** Under its final name: a draft is not listed. */
function isAsked(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).some((name) => /^[^.].*\.json$/.test(name));
}

/** Calls ran with no record of them, and no message said so. */
test("an audit that cannot be written is reported in the log", async () => {
  using bench = Bench.withDaemon();
  const log = join(bench.state, "log");
  mkdirSync(log, { recursive: true, mode: 0o700 });
  symlinkSync(join(bench.root, "elsewhere"), join(log, "audit.jsonl"));
  await bench.run(["call", "exec.run", JSON.stringify({ command: "true" })]);
  await bench.run(["call", "exec.run", JSON.stringify({ command: "true" })]);
  const told = readFileSync(join(log, "holt.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes("cannot be written down"));
  expect(told).toHaveLength(1);
  expect(JSON.parse(told[0] ?? "")).toMatchObject({ level: "error", error: expect.stringContaining("ELOOP") });
  expect(existsSync(join(bench.root, "elsewhere"))).toBe(false);
  await end(bench);
});
