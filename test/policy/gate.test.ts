import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { dial, withDaemon } from "../daemon/household.ts";
import { ALIASES } from "../../src/protocol/methods/aliases.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";
import { type Bench, collect } from "../support/holt.ts";

describe("A caller of the API", () => {
  // The test once named four methods by hand and no alias: a fifth could have passed the policy
  // unnoticed.
  test("is held to the policy by every method that starts a command, under all its names; the user at the command line is not", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\nallow = ["true"]\n');
      const argv = ["sleep", "60"];
      const starting = [...TABLE.values()].filter(
        ({ effect, sessionParam }) => effect === "exec" && sessionParam === undefined,
      );
      const calls: [string, object][] = starting.map(({ name, params }) => [
        name,
        "argv" in params.shape ? { argv } : { args: argv },
      ]);
      for (const [alias, { method }] of Object.entries(ALIASES))
        if (starting.some(({ name }) => name === method)) calls.push([alias, { command: "sleep 60" }]);
      expect(calls.map(([name]) => name)).toEqual(
        expect.arrayContaining(["session.start", "exec.run", "shell.run", "pty.open", "execute", "spawn_shell"]),
      );
      for (const [name, params] of calls)
        expect([name, await failure(client.call(name as "health.info", params as never))]).toMatchObject([
          name,
          {
            code: "EDENIED",
            message: expect.stringMatching(/^not allowed by policy\.allow: the command is .*, which no rule names$/),
            details: { rule: "policy.allow" },
          },
        ]);
      expect(bench.started()).toEqual([]);
      const line = { hint: expect.stringContaining("a command line needs its shell to be allowed") };
      for (const method of ["exec.run", "exec.run_background", "session.start"] as const)
        expect(await failure(client.call(method, { command: "true" }))).toMatchObject(line);
      expect(await failure(client.call("exec.run", { args: argv }))).not.toMatchObject(line);
      expect(await bench.run(["start", "--session-id", "x", "--", ...argv])).toMatchObject({
        text: "x\n",
        exitCode: 0,
      });
      expect(bench.meta("x").holder.pid).toBeGreaterThan(0);
      await bench.run(["kill", "x"]);
    });
  });

  test("has a maximum of running sessions; ended ones free their slots; other callers have their own", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "[policy]\nmax_sessions = 2\n");
      const start = async (session_id: string) => client.call("session.start", { argv: ["sleep", "60"], session_id });
      await start("a");
      await start("b");
      expect(await failure(start("c"))).toMatchObject({ code: "ERLIMIT", details: { rule: "policy.max_sessions" } });
      await client.call("session.kill", { session_id: "a" });
      await client.call("session.wait", { session_id: "a" });
      expect(await start("d")).toMatchObject({ session_id: "d" });
      const call = { jsonrpc: "2.0", id: 1, method: "session.start", params: { argv: ["true"] } };
      const script = `import socket
s = socket.socket(socket.AF_UNIX)
s.connect("state/run/daemon.sock")
s.sendall(b"""${JSON.stringify(call)}\\n""")
print(s.makefile().readline())`;
      const other = await collect(["python3", "-c", script], { stdin: "", env: bench.env, cwd: bench.root });
      expect(JSON.parse(other.text)).toMatchObject({ result: { argv: ["true"] } });
      for (const session_id of ["b", "d"]) await client.call("session.kill", { session_id });
    });
  });

  test("has a maximum of calls in progress and of input per call", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, "[policy]\nmax_calls = 2\nmax_input_bytes = 10\n");
      const { session_id } = await client.call("session.start", { argv: ["cat"] });
      const waits = [1, 2].map(async () => client.call("session.wait", { session_id, until: ["exit"] }));
      expect(await failure(client.call("health.info", {}))).toMatchObject({
        code: "ERLIMIT",
        details: { rule: "policy.max_calls" },
      });
      await bench.run(["kill", session_id]);
      await Promise.all(waits);
      expect(await failure(client.call("session.send", { session_id, text: "12345678901" }))).toMatchObject({
        code: "ERLIMIT",
        details: { rule: "policy.max_input_bytes" },
      });
      expect(
        await failure(client.call("exec.run", { args: ["cat"], stdin: { data: btoa("12345678901") } })),
      ).toMatchObject({
        code: "ERLIMIT",
      });
      expect((await client.call("exec.run", { args: ["cat"], stdin: "1234567890" })).channels["stdout"]).toBe(
        "1234567890",
      );
    });
  });

  test("gets the maximum of time, output and memory at most, and the defaults if it names none", async () => {
    await withDaemon(async (client, bench) => {
      configure(
        bench,
        "[policy]\nmax_timeout_ms = 60000\nmax_output_bytes = 5\nmax_files = 64\n[limits]\nfile_size_bytes = 4096\n",
      );
      const { channels, session_id } = await client.call("exec.run", {
        command: "ulimit -n; ulimit -f; echo 123456789",
        env: { SHELL: "/bin/bash" },
      });
      expect(channels["stdout"]).toBe("64\n4\n"); // five bytes are kept
      expect(bench.meta(session_id)).toMatchObject({
        max_output_bytes: 5,
        limits: { files: 64, file_size_bytes: 4096 },
      });
      const asked = await client.call("session.start", { argv: ["true"], max_output_bytes: 2, limits: { files: 32 } });
      expect(asked).toMatchObject({ max_output_bytes: 2, limits: { files: 32, file_size_bytes: 4096 } });
    });
  });
});

describe("A call that needs approval", () => {
  async function asking(client: DaemonClient, bench: Bench): Promise<{ id: string; outcome: Promise<unknown> }> {
    const outcome = client.call("exec.run", { args: ["echo", "hi there"], cwd: "/" }).then(
      ({ channels }) => channels["stdout"],
      (error: unknown) => error,
    );
    const directory = join(bench.state, "approvals");
    await until(
      "it is asked",
      () => existsSync(directory) && readdirSync(directory).some((name) => name.endsWith(".json")),
    );
    const { approvals } = JSON.parse((await bench.run(["approvals", "--json"])).text);
    expect(approvals).toEqual([
      expect.objectContaining({ argv: ["echo", "hi there"], cwd: "/", method: "exec.run", rule: 'policy.ask "echo"' }),
    ]);
    return { id: approvals[0].approval_id, outcome };
  }

  test("runs once approved, fails if denied, and leaves no request behind", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\nask = ["echo"]\n');
      const first = await asking(client, bench);
      expect((await bench.run(["approvals"])).text).toMatch(
        new RegExp(`^${first.id}\t\\S+\t\\d+\t/\techo 'hi there'\n$`),
      );
      expect(await bench.run(["approve", first.id.slice(0, 11)])).toMatchObject({ exitCode: 0, text: "", stderr: "" });
      expect(await first.outcome).toBe("hi there\n");

      const second = await asking(client, bench);
      expect(await bench.run(["deny", second.id])).toMatchObject({ exitCode: 0 });
      expect(await second.outcome).toMatchObject({
        code: "EDENIED",
        message: expect.stringContaining("the user denied it"),
        details: { rule: 'policy.ask "echo"', outcome: "denied", approval_id: second.id },
      });
      expect(readdirSync(join(bench.state, "approvals"))).toEqual([]);
      expect(await bench.run(["approve", second.id])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("no pending approval"),
      });
    });
  });

  /**
   * An agent that requested an answer after a second got it after a minute, when its host had given
   * the call up.
   */
  test("counts the time until approval as waiting: the call yields at once if yield_ms has passed", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\nask = ["sleep"]\n');
      const asked = performance.now();
      const answer = client.call("exec.run", { args: ["sleep", "2"], yield_ms: 3000 });
      const approvals = join(bench.state, "approvals");
      await until("3 s have passed", () => performance.now() - asked > 3000 && existsSync(approvals));
      await bench.run(["approve", readdirSync(approvals)[0]?.replace(".json", "") ?? ""]);
      expect(await answer).toMatchObject({ state: "running", exit_code: null });
    });
  });

  /**
   * While the user looked at one command, another was put in its place, and ran with the approval.
   */
  test.each([
    ["put in its place", "the command's file changed while the call waited for approval"],
    ["written to", "the command's file changed while the call waited for approval"],
    ["denied by then", "not allowed by policy.deny"],
    ["given variables that it may not have by then", "not allowed by policy.env: the variable MINE may not be set"],
  ])("is approved for the file that was shown, not for one %s", async (how, why) => {
    await withDaemon(async (client, bench) => {
      const tool = join(bench.root, "tool");
      writeFileSync(tool, "#!/bin/sh\necho meant\n", { mode: 0o755 });
      configure(bench, '[policy]\nask = ["tool"]\n');
      const asked = failure(client.call("exec.run", { args: [tool], env: { MINE: "1" } }));
      const directory = join(bench.state, "approvals");
      await until(
        "it is asked",
        () => existsSync(directory) && readdirSync(directory).some((name) => name.endsWith(".json")),
      );
      if (how === "put in its place") {
        rmSync(tool);
        symlinkSync("/usr/bin/id", tool);
      } else if (how === "written to") writeFileSync(tool, "#!/bin/sh\necho other than that\n");
      else configure(bench, how === "denied by then" ? '[policy]\ndeny = ["tool"]\n' : '[policy]\nenv = ["YOURS"]\n');
      const { approvals } = JSON.parse((await bench.run(["approvals", "--json"])).text);
      await bench.run(["approve", approvals[0].approval_id]);
      expect(await asked).toMatchObject({ code: "EDENIED", message: expect.stringContaining(why) });
    });
  });

  /** A request that died with its daemon was still listed, and could be answered without effect. */
  test("is not listed once its caller has gone", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\nask = ["echo"]\n');
      const { id, outcome } = await asking(client, bench);
      bench.killDaemon();
      expect(await outcome).toMatchObject({ code: "EIO" });
      await until("it is gone, and not only its sockets", () => bench.daemonPid === null);
      expect((await bench.run(["approvals", "--json"])).text).toBe('{"approvals":[]}\n');
      expect((await bench.run(["approve", id])).exitCode).toBe(1);
    });
  });

  test("is denied without an answer in time, and canceled when the caller goes", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\notherwise = "ask"\n[timeouts]\napproval_ms = 300\n');
      expect(await failure(client.call("exec.run", { args: ["true"] }))).toMatchObject({
        code: "EDENIED",
        details: { rule: "policy.otherwise", outcome: "timeout" },
      });
      configure(bench, '[policy]\nask = ["echo"]\n');
      const other = await dial(bench);
      const { outcome } = await asking(other, bench);
      other[Symbol.dispose]();
      expect(await outcome).toMatchObject({ code: "EIO" });
      await until("the question is gone", () => readdirSync(join(bench.state, "approvals")).length === 0);
      expect(bench.started()).toEqual([]);
    });
  });

  /**
   * A caller wrote `approvals/ID.answer` with fs.write_file, as the state directory is in the
   * served home directory: its command started. The test had tried three methods that do not exist.
   */
  test("cannot be approved by any method: a caller cannot approve its own call", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, `[policy]\nask = ["echo"]\n[fs]\nroots = [${JSON.stringify(bench.root)}]\n`);
      const { session_id } = await client.call("exec.run", { args: ["true"] });
      const { id, outcome } = await asking(client, bench);
      symlinkSync("state", join(bench.root, "other"));
      symlinkSync("../state/approvals", join(bench.root, "config", "deep"));
      const writing = [...TABLE.values()].filter(({ effect, params }) => effect === "write" && "path" in params.shape);
      expect(writing.map(({ name }) => name)).toEqual(["session.export", "fs.write_file"]);
      for (const { name, params } of writing)
        for (const directory of [
          "state/approvals",
          "other/approvals",
          "config/deep",
          "config/../state//./approvals",
          "state/log/../approvals",
        ]) {
          const path = `${bench.root}/${directory}/${id}.answer`;
          const given = "data" in params.shape ? { path, data: btoa("approved") } : { path, session_id };
          const refused = await failure(client.call(name as "health.info", given as never));
          expect([name, path, refused]).toMatchObject([name, path, { code: "EDENIED" }]);
        }
      expect(readdirSync(join(bench.state, "approvals"))).toEqual([`${id}.json`]);
      await bench.run(["deny", id]);
      expect(await outcome).toMatchObject({ code: "EDENIED" });
    });
  });

  // Sessions were counted before the approval: two requests could both pass as the last one and
  // both be approved.
  test("holds a session slot while it waits", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, '[policy]\nask = ["echo"]\nmax_sessions = 1\n');
      const { id, outcome } = await asking(client, bench);
      expect(await failure(client.call("exec.run", { args: ["true"] }))).toMatchObject({
        code: "ERLIMIT",
        details: { rule: "policy.max_sessions" },
      });
      await bench.run(["deny", id]);
      await outcome;
      for (let i = 0; i < 5; i++) await client.call("exec.run", { args: ["true"] }); // each frees its slot for the next
    });
  });
});
