import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { end } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { connectionsTo } from "../support/unix-connections.ts";
import { HoltClient } from "../../src/library/index.ts";
import { socketsOf } from "../support/sockets.ts";

const ROOT = join(import.meta.dir, "../..");

describe("the client library", () => {
  let bench: Bench;

  beforeAll(() => {
    bench = Bench.withDaemon();
    // Installed as npm would do it.
    const installed = join(bench.root, "node_modules/holt");
    mkdirSync(join(installed, "dist"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(installed, "package.json"));
    cpSync(join(ROOT, "dist/client.js"), join(installed, "dist/client.js"));
    cpSync(join(ROOT, "dist/types"), join(installed, "dist/types"), { recursive: true });
    mkdirSync(join(bench.root, "bin"));
    symlinkSync(HOLT, join(bench.root, "bin/holt"));
  });
  afterAll(async () => {
    await end(bench);
    bench[Symbol.dispose]();
  });

  async function run(argv: string[]): Promise<{ out: string; err: string; code: number }> {
    const child = Bun.spawn(argv, {
      cwd: bench.root,
      env: {
        ...process.env,
        HOLT_STATE_DIR: bench.state,
        PATH: `${join(bench.root, "bin")}:${process.env["PATH"] ?? ""}`,
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { out, err, code };
  }

  test("works in Node and Bun, and starts the daemon", async () => {
    const source = join(bench.root, "example.mjs");
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, "example.ts")],
      packages: "external",
      target: "node",
    });
    writeFileSync(source, (await built.outputs[0]?.text()) ?? "");
    for (const runtime of ["node", process.execPath]) {
      const { out, err, code } = await run([runtime, source]);
      expect({ err, code }).toEqual({ err: "", code: 0 });
      expect(JSON.parse(out)).toEqual({ text: "one\ntwo\n", exit_code: 3, refused: "ENOTFOUND" });
    }
  });

  test("has types that accept the example and reject a wrong call", async () => {
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--types",
      "node",
      "--typeRoots",
      join(ROOT, "node_modules/@types"),
    ];
    cpSync(join(import.meta.dir, "example.ts"), join(bench.root, "example.mts"));
    // The examples of the docs: one iterated over a promise.
    const examples = (page: string): string => {
      const text = readFileSync(join(ROOT, page), "utf8");
      const [first = "", ...more] = Array.from(text.matchAll(/^```ts\n([^]*?)^```$/gm), ([, code = ""]) => code);
      return [first, ...more.map((code) => `{\n${code}}\n`)].join("");
    };
    expect(examples("README.md")).toContain("client.follow(");
    expect(examples("docs/agents.md")).toContain("client.background(");
    writeFileSync(join(bench.root, "readme.mts"), examples("README.md"));
    writeFileSync(join(bench.root, "agents.mts"), examples("docs/agents.md"));
    const written = ["example.mts", "readme.mts", "agents.mts"];
    expect(await run([tsc, ...options, ...written])).toMatchObject({ out: "", code: 0 });
    const wrong = `import { connect } from "holt/client";\nawait (await connect()).call("session.get", { id: 3 });\n`;
    writeFileSync(join(bench.root, "wrong.mts"), wrong);
    expect((await run([tsc, ...options, "wrong.mts"])).out).toContain("'id' does not exist");
  });

  test("a stream continues at its cursor when the daemon is killed, without gap or repetition", async () => {
    await using client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const script = "for i in $(seq 2000); do echo line $i; done; read x; for i in $(seq 2000); do echo more $i; done";
    const { session_id } = await client.call("session.start", {
      argv: ["sh", "-c", script],
      pty: { cols: 80, rows: 24 },
    });
    let text = "";
    let isKilled = false;
    for await (const { bytes } of client.follow(session_id)) {
      text += Buffer.from(bytes).toString();
      if (isKilled || !text.includes("line 2000")) continue;
      isKilled = true;
      bench.killDaemon();
      await client.call("session.send", { session_id, text: "\n" }).catch(async () => {
        await client.call("session.send", { session_id, text: "\n" });
      });
    }
    const lines = text
      .replaceAll("\r", "")
      .split("\n")
      .filter((line) => /^(line|more) /.test(line));
    const expected = ["line", "more"].flatMap((word) => Array.from({ length: 2000 }, (_, i) => `${word} ${i + 1}`));
    expect(lines).toEqual(expected);
  });

  test("a background command reports its output and its end across daemon restarts", async () => {
    await using client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const command = "seq 1000; read x; seq 1001 2000; exit 4";
    const { session_id, notifications } = await client.background({ command, stdin: true });
    let text = "";
    let isKilled = false;
    let last: unknown = null;
    for await (const { method, params } of notifications) {
      if (method !== "exec.output") {
        last = params;
        continue;
      }
      text += Buffer.from(params.data, "base64").toString();
      if (isKilled || !text.endsWith("1000\n")) continue;
      isKilled = true;
      bench.killDaemon();
      await client.call("session.send", { session_id, text: "\n" }).catch(async () => {
        await client.call("session.send", { session_id, text: "\n" });
      });
    }
    expect(text).toBe(Array.from({ length: 2000 }, (_, i) => `${i + 1}\n`).join(""));
    expect(last).toMatchObject({ session_id, exit_code: 4, reason: "completed" });
  });

  test("a subscription to one session ends with it, for any choice of events", async () => {
    await using client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const { session_id } = await client.call("exec.run", { command: "echo hi" });
    const told: string[] = [];
    for await (const { method } of client.subscribe({ session_id, cursor: "0", events: ["exec.output"] }))
      told.push(method);
    expect(told).toEqual(["exec.output"]);
  });

  test("a call can be canceled", async () => {
    await using client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const { session_id } = await client.call("session.start", { argv: ["sleep", "60"] });
    const canceling = new AbortController();
    const waited = client.call("session.wait", { session_id }, { signal: canceling.signal });
    await client.call("health.info", {});
    canceling.abort();
    expect(await waited.catch((error: unknown) => error)).toMatchObject({ code: "ECANCELED" });
    await client.call("session.kill", { session_id });
  });

  const sockets = (): number => socketsOf(process.pid);

  /**
   * Ten concurrent calls without a connection opened ten, and nine of them stayed open after
   * close().
   */
  test("concurrent first calls share one connection, and close() leaves none", async () => {
    const before = sockets();
    const client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    await Promise.all(Array.from({ length: 10 }, () => client.call("health.info", {})));
    // The pipes of `holt daemon` are closed a moment later.
    await until("one connection is open", () => sockets() - before === 1);
    client.close();
    const late = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const dialled = late.call("health.info", {}).catch((error: unknown) => error);
    late.close();
    expect(await dialled).toMatchObject({ message: "this client was closed" });
    await until("nothing is open any more", () => sockets() === before);
  });

  /**
   * Only output counted as a stable daemon: a stream of a silent session gave up after the fifth
   * killed daemon, even hours apart.
   */
  test("streams of a silent session and of all sessions survive any number of daemons", async () => {
    await using client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const { session_id } = await client.call("session.start", { argv: ["sh", "-c", "read x; echo $x"], pty: false });
    const followed = client.follow(session_id);
    const output = followed.next();
    const changes = client.sessions();
    const change = changes.next();
    let last: number | null = null;
    const bothAreTold = (): Promise<void> =>
      until("both are told by another daemon", () => {
        const isAnother = bench.daemonPid !== null && bench.daemonPid !== last;
        return (
          isAnother && connectionsTo(join(bench.state, "run", "daemon.sock"), "accepted") >= (last === null ? 3 : 2)
        ); // the first has the call's too
      });
    for (let killed = 0; killed < 6; killed++) {
      await bothAreTold();
      await Bun.sleep(250); // longer than what counts as lasting
      last = bench.daemonPid;
      bench.killDaemon();
    }
    await bothAreTold();
    // An open connection may not have subscribed yet; events before the subscription are missed.
    let isTold = false;
    void change.then(() => (isTold = true));
    const started = new Set([session_id]);
    await until("all sessions are told of", async () => {
      started.add((await client.call("session.start", { argv: ["true"], pty: false })).session_id);
      return isTold;
    });
    expect(started.has((await change).value?.session.session_id ?? "")).toBe(true);
    await client.call("session.send", { session_id, text: "at last\n" });
    const told = (await output).value;
    expect(told !== null && "bytes" in told ? Buffer.from(told.bytes).toString() : told).toBe("at last\n");
    for await (const { type, session } of changes) {
      expect(started.has(session.session_id)).toBe(true);
      if (session.session_id !== session_id) continue;
      expect(type).toBe("exited");
      break;
    }
  }, 60_000);

  test("a daemon that cannot start is reported in words, not JSON", async () => {
    const client = new HoltClient({ stateDir: "/proc/nowhere", executable: HOLT });
    const refused = await client.call("health.info", {}).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "EIO" });
    expect(String(refused)).not.toContain("{");
  });

  test("an aborted or ended stream leaves no listener on the signal", async () => {
    await using client = new HoltClient({ stateDir: bench.state, executable: HOLT });
    const { session_id } = await client.call("session.start", { argv: ["true"], pty: false });
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    for (let i = 0; i < 3; i++) for await (const _ of client.follow(session_id, { signal }));
    expect(listeners).toBe(0);
  });
});
