import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../client/failure.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";
import { withDaemon } from "../daemon/household.ts";
import { expectGolden } from "./golden.ts";
import { otherFileAt } from "../support/other-file.ts";

const ID = "d4k8w1";

describe("exec.run", () => {
  test("answers with what the command printed and how it ended, which is a result whatever it is", async () => {
    await withDaemon(async (client, bench) => {
      const command = "echo out; echo err >&2; pwd; exit 3";
      const result = await client.call("exec.run", { command, cwd: "/" });
      expect(result).toMatchObject({ state: "exited", exit_code: 3, signal: null, timed_out: false });
      expect(result.channels).toEqual({ stdout: "out\n/\n", stderr: "err\n" });
      expectGolden("exec.run", result);
      expect(bench.meta(result.session_id)).toMatchObject({ cwd: "/", transport_mode: "pipe" });
      expect(await client.call("exec.run", { command: "kill -9 $$" })).toMatchObject({
        state: "signaled",
        exit_code: null,
        signal: "SIGKILL",
        reason: "completed",
      });
    });
  });

  /** Nobody could feed it: its id is known once the call has answered, and that waits for its end. */
  test("refuses to wait for the end of a command whose input nobody can send", async () => {
    await withDaemon(async (client) => {
      const refused = await failure(client.call("exec.run", { args: ["cat"], stdin: true }));
      expect(refused).toMatchObject({ code: "EBADARGS", hint: expect.stringContaining("yield_ms") });
      const { session_id } = await client.call("exec.run", { args: ["cat"], stdin: true, yield_ms: 0 });
      const { next_cursor } = await client.call("session.send", { session_id, text: "fed\n", eof: true });
      expect(next_cursor).toBe("0");
      await client.call("session.wait", { session_id });
      expect(await client.call("exec.output", { session_id })).toMatchObject({ channels: { stdout: "fed\n" } });
    });
  });

  test("takes an id of the caller's, once", async () => {
    await withDaemon(async (client, bench) => {
      const asked = { session_id: "mine", command: "echo ran >> ran", cwd: bench.root };
      expect(await client.call("exec.run", asked)).toMatchObject({ session_id: "mine", exit_code: 0 });
      expect(await failure(client.call("exec.run", asked))).toMatchObject({ code: "EEXISTS" });
      expect(readFileSync(join(bench.root, "ran"), "utf8")).toBe("ran\n");
    });
  });

  test("gives a line to the shell of its environment, and args to nobody", async () => {
    await withDaemon(async (client, bench) => {
      const shell = join(bench.root, "shell");
      writeFileSync(shell, '#!/bin/sh\necho "my shell: $2"\n');
      chmodSync(shell, 0o755);
      const said = async (params: Parameters<typeof client.call<"exec.run">>[1]) =>
        (await client.call("exec.run", params)).channels["stdout"];
      expect(await said({ command: "echo $0", env: { SHELL: shell } })).toBe("my shell: echo $0\n");
      expect(await said({ command: "echo $0", env: { SHELL: null } })).toBe("/bin/sh\n");
      expect(await said({ command: "echo $0", env: { SHELL: "/usr/sbin/nologin" } })).toBe("/bin/sh\n");
      expect(await said({ command: "echo $0", env_mode: "clean" })).toBe("/bin/sh\n");
      expect(await said({ args: ["echo", "$0", "a b", ";"] })).toBe("$0 a b ;\n");
    });
  });

  test("what cannot be asked for or started is an error, and says why", async () => {
    await withDaemon(async (client, bench) => {
      const refused = (params: Parameters<typeof client.call<"exec.run">>[1]) =>
        failure(client.call("exec.run", params));
      expect(await refused({})).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ command: "true", args: ["true"] })).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ args: [] })).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ args: ["true", "a\0b"] })).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ command: "true", env: { "A=B": "c" } })).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ command: "true", timeout_ms: 3_600_001 })).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ command: "true", cwd: "there" })).toMatchObject({ code: "EBADARGS" });
      expect(await refused({ args: ["no-such-command"] })).toMatchObject({
        code: "ENOTFOUND",
        message: "command not found: no-such-command",
        details: { exit_code: 127 },
      });
      expect(await refused({ args: ["true"], cwd: join(bench.root, "nowhere") })).toMatchObject({ code: "ENOTFOUND" });
      expect(await refused({ args: [bench.root] })).toMatchObject({ code: "EDENIED" });
      const sessions = join(bench.state, "sessions");
      rmSync(sessions, { recursive: true });
      writeFileSync(sessions, "");
      expect(await refused({ command: "true" })).toMatchObject({ code: "EDENIED" });
      rmSync(sessions); // where there is nothing, it is made
      expect(await client.call("exec.run", { command: "true" })).toMatchObject({ exit_code: 0 });
    });
  });

  test("while every session is being stopped, none is started", async () => {
    await withDaemon(async (client, bench) => {
      const command = "trap 'sleep 1; exit' TERM; echo up; while :; do sleep 0.1; done";
      const { session_id } = await client.call("exec.run_background", { command });
      await until("it is up", () => bench.output(session_id).includes("up"));
      const stopping = client.call("daemon.shutdown", { stop_sessions: true });
      expect(await failure(client.call("exec.run", { command: "true" }))).toMatchObject({ code: "EBUSY" });
      expect(await failure(client.call("exec.run_background", { command: "true" }))).toMatchObject({ code: "EBUSY" });
      expect(await failure(client.call("shell.run", { argv: ["true"] }))).toMatchObject({ code: "EBUSY" });
      await stopping;
    });
  });

  test("reads a text, bytes, nothing, or what is sent later", async () => {
    await withDaemon(async (client, bench) => {
      const args = ["od", "-An", "-c"];
      const read = async (stdin: string | false | { data: string }) =>
        (await client.call("exec.run", { args, stdin })).channels["stdout"]?.trim();
      expect(await read("ab\n")).toBe("a   b  \\n");
      expect(await read({ data: Buffer.from([0, 255]).toString("base64") })).toBe("\\0 377");
      expect(await read(false)).toBe("");
      expect((await client.call("exec.run", { args: ["cat"] })).channels["stdout"]).toBe("");
      const running = await client.call("exec.run", { args: ["cat"], stdin: true, yield_ms: 0 });
      expect(running.state).toBe("running");
      const { session_id } = running;
      await client.call("session.send", { session_id, text: "later\n", eof: true });
      await client.call("session.wait", { session_id });
      expect(bench.output(session_id).toString()).toBe("later\n");
    });
  });

  test("not done by yield_ms, it runs on: what it prints then is read from the cursor", async () => {
    await withDaemon(async (client, bench) => {
      const gate = join(bench.root, "gate");
      const command = `echo first; until test -e '${gate}'; do sleep 0.02; done; echo second; exit 4`;
      const running = await client.call("exec.run", { command, yield_ms: 300 });
      expect(running).toMatchObject({ state: "running", exit_code: null, timed_out: false, truncated: false });
      expect(running.channels["stdout"]).toBe("first\n");
      expectGolden("exec.run-running", running);
      const { session_id, next_cursor: cursor } = running;
      expect(await client.call("exec.status", { session_id })).toMatchObject({ state: "running", ended_at: null });
      expect(await client.call("exec.output", { session_id, cursor })).toMatchObject({ channels: {}, eof: false });
      writeFileSync(gate, "");
      const rest = await client.call("exec.output", { session_id, cursor, wait_ms: 20_000 });
      expect(rest.channels).toEqual({ stdout: "second\n" });
      await client.call("session.wait", { session_id });
      expect(await client.call("exec.status", { session_id })).toMatchObject({ state: "exited", exit_code: 4 });
      expect(await client.call("exec.output", { session_id, cursor: rest.next_cursor })).toMatchObject({ eof: true });
    });
  });

  test("stdout that is data is told as data too, if all of it is there", async () => {
    await withDaemon(async (client, bench) => {
      const said = async (params: Parameters<typeof client.call<"exec.run">>[1]) =>
        (await client.call("exec.run", params)).structured;
      const command = `echo '{"passed": 42, "big": 1e3}'; echo not data >&2; exit 1`;
      expect(await said({ command })).toEqual({ format: "json", data: { passed: 42, big: 1000 } });
      expect(await said({ command, encoding: "base64" })).not.toBeNull();
      expect(await said({ command: "echo hello" })).toBeNull();
      expect(await said({ command: "echo '{}{'", max_bytes: 2 })).toBeNull();
      expect(await said({ command: "echo '[1]'; sleep 60", yield_ms: 300 })).toBeNull();
      for (const id of bench.started()) await client.call("session.kill", { session_id: id });
    });
  });

  test("streaming answers as soon as it runs", async () => {
    await withDaemon(async (client) => {
      const { session_id, state } = await client.call("exec.run", { args: ["sleep", "60"], output_mode: "streaming" });
      expect(state).toBe("running");
      await client.call("exec.cancel", { session_id });
    });
  });

  test("its time is up: the whole tree ends, also what ran away, and the result has what was printed", async () => {
    await withDaemon(async (client, bench) => {
      const pids = join(bench.root, "pids");
      const escapee = `trap '' TERM HUP; echo $$ >>'${pids}'; while :; do sleep 0.1; done`;
      const command = `setsid sh -c "${escapee.replaceAll("$", "\\$")}" & (setsid -f sleep 61); echo before; echo $$ >>'${pids}'; wait`;
      const result = await client.call("exec.run", { command, timeout_ms: 1500 });
      expect(result).toMatchObject({ state: "signaled", reason: "timeout", timed_out: true, truncated: false });
      expect(result.channels["stdout"]).toBe("before\n");
      const written = (await Bun.file(pids).text()).trim().split("\n").map(Number);
      expect(written.length).toBe(2);
      expect(written.filter(isAlive)).toEqual([]);
    });
  });
});

describe("exec.run_background, exec.status, exec.output and exec.cancel", () => {
  test("start, tell, read and end one", async () => {
    await withDaemon(async (client) => {
      const command = "trap 'echo bye; exit 7' TERM; echo up; sleep 60 & wait";
      const started = await client.call("exec.run_background", { command, name: "loop" });
      expectGolden("exec.run_background", started);
      const { session_id } = started;
      await client.call("session.wait", { session_id, until: { match: "up" }, cursor: "0" });
      expect((await client.call("exec.status", { session_id })).state).toBe("running");
      const ended = await client.call("exec.cancel", { session_id });
      expect(ended).toMatchObject({ state: "exited", exit_code: 7, reason: "stop_requested", timed_out: false });
      expectGolden("exec.cancel", ended);
      expect(await client.call("exec.cancel", { session_id })).toEqual(ended);
      expectGolden("exec.status", await client.call("exec.status", { session_id }));
      const output = await client.call("exec.output", { session_id });
      expect(output.channels).toEqual({ stdout: "up\nbye\n" });
      expectGolden("exec.output", output);
      expect((await client.call("session.get", { session_id })).name).toBe("loop");
    });
  });

  test("one that does not end by itself is killed after the grace", async () => {
    await withDaemon(async (client) => {
      const command = "trap '' TERM; echo up; while :; do sleep 0.05; done";
      const { session_id } = await client.call("exec.run_background", { command });
      await client.call("session.wait", { session_id, until: { match: "up" }, cursor: "0" });
      const ended = await client.call("exec.cancel", { session_id, grace_ms: 100 });
      expect(ended).toMatchObject({ state: "signaled", signal: "SIGKILL", reason: "stop_requested" });
    });
  });

  test("of a session that is not there, or cannot be read, say so", async () => {
    await withDaemon(async (client, bench) => {
      const lost = { code: "ENOTFOUND", message: `session not found: ${ID}` };
      for (const method of ["exec.status", "exec.cancel", "exec.output"] as const)
        expect(await failure(client.call(method, { session_id: ID }))).toMatchObject(lost);
      const { session_id } = await client.call("exec.run", { command: "echo one" });
      renameSync(join(bench.state, "sessions"), join(bench.state, "away"));
      writeFileSync(join(bench.state, "sessions"), "");
      const errors: unknown[] = [];
      for (const method of ["exec.status", "exec.cancel", "exec.output"] as const)
        errors.push(await failure(client.call(method, { session_id })));
      rmSync(join(bench.state, "sessions"));
      renameSync(join(bench.state, "away"), join(bench.state, "sessions"));
      for (const error of errors) expect(error).toMatchObject({ code: "EDENIED" });
    });
  });

  test("one whose holder cannot be reached is not said to have ended", async () => {
    await withDaemon(async (client, bench) => {
      const { session_id } = await client.call("exec.run_background", { args: ["sleep", "60"] });
      const { socket, holder } = bench.meta(session_id);
      await until("it listens", () => existsSync(socket ?? ""));
      otherFileAt(socket);
      expect(await failure(client.call("exec.cancel", { session_id }))).toMatchObject({ code: "EIO" });
      rmSync(socket ?? "");
      process.kill(holder.pid, "SIGUSR1");
      // Its socket has a name a moment before anybody listens there.
      const canceled = (): Promise<boolean> =>
        client.call("exec.cancel", { session_id }).then(
          () => true,
          () => false,
        );
      await until("it listens again", canceled);
    });
  });

  test("with a channel, only that", async () => {
    await withDaemon(async (client) => {
      const { session_id } = await client.call("exec.run", { command: "echo a; sleep 0.05; echo b >&2" });
      const output = await client.call("exec.output", { session_id, channel: "stderr" });
      expect(output).toMatchObject({ channels: { stderr: "b\n" }, eof: true, next_cursor: "4", truncated: false });
      expect((await client.call("exec.output", { session_id, channel: "no" })).channels).toEqual({});
    });
  });

  test("a timeout of one in the background holds without anybody waiting", async () => {
    await withDaemon(async (client) => {
      const { session_id } = await client.call("exec.run_background", { args: ["sleep", "60"], timeout_ms: 200 });
      await client.call("session.wait", { session_id });
      expect(await client.call("exec.status", { session_id })).toMatchObject({ timed_out: true, signal: "SIGTERM" });
    });
  });
});

describe("shell.run", () => {
  test("takes arguments as they are, an environment of what it is given, and bytes", async () => {
    await withDaemon(async (client) => {
      const result = await client.call("shell.run", {
        argv: ["/bin/sh", "-c", "cat; printf '\\377' >&2; env; exit 5"],
        env: { A: "b" },
        stdin: Buffer.from([0, 10, 255]).toString("base64"),
        cwd: "/",
      });
      expect(result).toMatchObject({ rc: 5, signal: null, cwd: "/", timed_out: false, truncated: false });
      const bytes = Buffer.from(result.stdout, "base64");
      expect([...bytes.subarray(0, 3)]).toEqual([0, 10, 255]);
      const variables = bytes.subarray(3).toString().trim().split("\n");
      const names = variables.map((line) => line.split("=")[0] ?? "").filter((name) => name !== "PWD");
      expect(new Set(names)).toEqual(new Set(["A", "HOLT_SESSION_ID"]));
      expect(result.stderr).toBe("/w==");
      const { stdout: _stdout, ...rest } = result;
      expectGolden("shell.run", { ...rest, next_cursor: "<string>" });
    });
  });

  test("a signal is told as a shell would, a timeout beside", async () => {
    await withDaemon(async (client) => {
      expect(await client.call("shell.run", { argv: ["/bin/sh", "-c", "kill -SEGV $$"] })).toMatchObject({
        rc: 139,
        signal: "SIGSEGV",
      });
      expect(await client.call("shell.run", { argv: ["sleep", "60"], timeout_ms: 100 })).toMatchObject({
        rc: 143,
        timed_out: true,
      });
    });
  });

  test("what cannot be started is an error", async () => {
    await withDaemon(async (client, bench) => {
      expect(await failure(client.call("shell.run", { argv: ["nope"] }))).toMatchObject({ code: "ENOTFOUND" });
      expect(await failure(client.call("shell.run", { argv: ["/tmp"] }))).toMatchObject({ code: "EDENIED" });
      expect(await failure(client.call("shell.run", { argv: [] }))).toMatchObject({ code: "EBADARGS" });
      expect(await failure(client.call("shell.run", { argv: ["true"], stdin: "?" }))).toMatchObject({
        code: "EBADARGS",
      });
      rmSync(join(bench.state, "sessions"), { recursive: true });
      writeFileSync(join(bench.state, "sessions"), "");
      expect(await failure(client.call("shell.run", { argv: ["true"] }))).toMatchObject({ code: "EDENIED" });
      const background = client.call("exec.run_background", { command: "true" });
      expect(await failure(background)).toMatchObject({ code: "EDENIED" });
      rmSync(join(bench.state, "sessions"));
    });
  });
});
