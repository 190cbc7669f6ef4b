/** session.exec and session.commands over the daemon's socket: results, and every error that their rows name. */
import { expect, test } from "bun:test";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { type Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { dial, withDaemon } from "./household.ts";
import { otherFileAt } from "../support/other-file.ts";

const start = (client: DaemonClient, session_id: string, more: object = {}) =>
  client.call("session.start", { argv: ["bash", "--norc"], session_id, ...more });
/** An interactive bash does not end by SIGTERM, and nobody wants to wait for its grace. */
const withShells = (work: (client: DaemonClient, bench: Bench) => Promise<void>) =>
  withDaemon(async (client, bench) => {
    try {
      await work(client, bench);
    } finally {
      for (const id of bench.started()) await failure(client.call("session.kill", { session_id: id }));
    }
  });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: { code: string; message: string; hint: string | null }) => error,
  );

test("a shell runs one command after the other, answers with each, and keeps what they change", () =>
  withShells(async (client) => {
    await start(client, "x");
    const exec = (command: string) => client.call("session.exec", { session_id: "x", command });
    expect(await exec("cd /usr; v=1\necho a b; false")).toMatchObject({
      outcome: "done",
      exit_code: 1,
      cwd: "/usr",
      text: "a b\n",
      data: Buffer.from("a b\r\n").toString("base64"),
      truncated: false,
    });
    expect(await exec("echo $v; pwd")).toMatchObject({ text: "1\n/usr\n", exit_code: 0 });
    const { commands, shell } = await client.call("session.commands", { session_id: "x" });
    expect(shell).toBe("bash");
    expect(commands).toMatchObject([
      { command: "cd /usr; v=1\necho a b; false", by: "exec", exit_code: 1 },
      { command: "echo $v; pwd", cwd: "/usr", exit_code: 0 },
    ]);
    const output_start = commands[1]?.output_start ?? "0";
    const read = await client.call("session.read", { session_id: "x", cursor: output_start, max_bytes: 3 });
    expect(Buffer.from((read.chunks ?? [])[0]?.data ?? "", "base64").toString()).toBe("1\r\n");
  }));

test("more output than was asked for is cut, with the cursor where it goes on", () =>
  withShells(async (client) => {
    await start(client, "x");
    const cut = await client.call("session.exec", { session_id: "x", command: "seq 1000", max_bytes: 10 });
    expect(cut).toMatchObject({ truncated: true, text: "1\n2\n3\n4" });
    expect(Number(cut.next_cursor)).toBe(Number(cut.output_start) + 10);
    expect(Number(cut.output_end)).toBe(Number(cut.output_start) + 3893 + 1000);
  }));

test("output that was not kept is told: the end of the command is seen all the same", () =>
  withShells(async (client) => {
    await start(client, "x", { max_output_bytes: 2000 });
    expect(await client.call("session.exec", { session_id: "x", command: "seq 5000" })).toMatchObject({
      outcome: "done",
      exit_code: 0,
      truncated: true,
    });
    expect(await client.call("session.exec", { session_id: "x", command: "false" })).toMatchObject({ exit_code: 1 });
  }));

test("each error says what is wrong", () =>
  withShells(async (client, bench) => {
    const exec = (session_id: string, more: object = {}) =>
      failure(client.call("session.exec", { session_id, command: "true", ...more }));
    expect(await exec("none")).toMatchObject({ code: "ENOTFOUND", message: "session not found: none" });
    expect(await failure(client.call("session.commands", { session_id: "none" }))).toMatchObject({ code: "ENOTFOUND" });

    await client.call("session.start", { argv: ["cat"], session_id: "cat" });
    expect(await exec("cat")).toMatchObject({ code: "EBADARGS", message: "this session is no integrated shell" });
    expect((await exec("cat"))?.hint).toContain('session.start {"argv": ["bash"]}');
    expect(await client.call("session.commands", { session_id: "cat" })).toEqual({ shell: null, commands: [] });
    await start(client, "plain", { shell_integration: false });
    expect(await exec("plain")).toMatchObject({ code: "EBADARGS" });
    await start(client, "pipes", { pty: false });
    expect(await exec("pipes")).toMatchObject({ code: "EBADARGS" });

    await start(client, "x");
    expect(await exec("x", { command: "a\0b" })).toMatchObject({ code: "EBADARGS" });
    expect(await exec("x", { command: "x".repeat(600_000) })).toMatchObject({ code: "EBADARGS" });
    expect(await client.call("session.exec", { session_id: "x", command: "sleep 600", timeout_ms: 100 })).toMatchObject(
      {
        outcome: "running",
        exit_code: null,
      },
    );
    expect(await exec("x")).toMatchObject({ code: "EBUSY", message: expect.stringContaining('it runs "sleep 600"') });

    await client.call("session.kill", { session_id: "x" });
    expect(await exec("x")).toMatchObject({ code: "ESESSIONCLOSED" });

    await start(client, "y");
    await client.call("session.wait", { session_id: "y", until: "prompt" });
    otherFileAt(bench.meta("y").socket);
    expect(await exec("y")).toMatchObject({ code: "EIO" });
  }));

test("a wait until the prompt sees the end of what was just sent, and never what was before", () =>
  withShells(async (client) => {
    await start(client, "x");
    const wait = (more: object = {}) => client.call("session.wait", { session_id: "x", until: ["prompt"], ...more });
    expect(await wait()).toMatchObject({ outcome: "prompt" });
    for (let round = 0; round < 5; round++) {
      await client.call("session.send", { session_id: "x", text: `sleep 0.05; echo round ${round}\r` });
      // The cursor is where that was so, as with every other condition; it was where the wait had begun, in front of all that was printed meanwhile.
      const { output_bytes } = await client.call("session.get", { session_id: "x" });
      const { outcome, cursor } = await wait({ cursor: String(output_bytes) });
      const { chunks } = await client.call("session.read", { session_id: "x", cursor, view: "raw" });
      expect({ outcome, rest: chunks?.length }).toEqual({ outcome: "prompt", rest: 0 });
      const { commands } = await client.call("session.commands", { session_id: "x", limit: 1 });
      expect(commands).toMatchObject([{ command: `sleep 0.05; echo round ${round}`, exit_code: 0 }]);
    }
    await client.call("session.send", { session_id: "x", text: "sleep 600\r" });
    expect(await wait({ timeout_ms: 100 })).toMatchObject({ outcome: "timeout" });
    const waiting = wait();
    await client.call("session.kill", { session_id: "x" });
    expect(await waiting).toMatchObject({ outcome: "exited" });
    await client.call("session.start", { argv: ["cat"], session_id: "cat" });
    expect(await failure(client.call("session.wait", { session_id: "cat", until: "prompt" }))).toMatchObject({
      code: "EBADARGS",
      message: "this session is no integrated shell",
    });
  }));

test("a call that is canceled ends its command with ctrl-c, and the shell goes on", () =>
  withShells(async (client, bench) => {
    await start(client, "x");
    await client.call("session.exec", { session_id: "x", command: "true" });
    {
      using other = await dial(bench);
      const calling = failure(other.call("session.exec", { session_id: "x", command: "sleep 600" }));
      for (;;) {
        const { commands } = await client.call("session.commands", { session_id: "x", limit: 1 });
        if (commands[0]?.command === "sleep 600") break;
        await Bun.sleep(5);
      }
      other[Symbol.dispose]();
      await calling;
    }
    await client.call("session.wait", { session_id: "x", until: "prompt" });
    expect((await client.call("session.commands", { session_id: "x", limit: 1 })).commands).toMatchObject([
      { command: "sleep 600", exit_code: 130 },
    ]);
    expect(await client.call("session.exec", { session_id: "x", command: "echo on" })).toMatchObject({ text: "on\n" });
  }));

test("one who has the keyboard alone keeps it, unless it is taken", () =>
  withShells(async (client, bench) => {
    await start(client, "x", { input: "lease" });
    await client.call("session.wait", { session_id: "x", until: "prompt" });
    await using person = new TerminalUser([HOLT, "attach", "x"], { env: bench.env, cwd: bench.root });
    await person.sees("bash-");
    person.type("echo $((40+2))\r");
    await person.sees("42");
    await client.call("session.wait", { session_id: "x", until: "prompt" });
    const exec = (takeover: boolean) =>
      client.call("session.exec", { session_id: "x", command: "echo free", takeover });
    expect(await failure(exec(false))).toMatchObject({ code: "EBUSY", message: "client c1 has the keyboard" });
    expect(await exec(true)).toMatchObject({ text: "free\n" });
  }));

test("a person's own terminal is nobody else's to run commands in", () =>
  withShells(async (client, bench) => {
    await using person = new TerminalUser([HOLT, "run", "--session-id", "x", "--", "bash", "--norc"], {
      env: bench.env,
      cwd: bench.root,
    });
    await person.sees(/[$#] /);
    expect(await failure(client.call("session.exec", { session_id: "x", command: "true" }))).toMatchObject({
      code: "EDENIED",
    });
    expect(person.text).not.toContain("133;");
    person.type("exit\r");
    await person.exit();
  }));
