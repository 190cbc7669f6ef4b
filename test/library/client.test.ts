import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { end } from "../daemon/household.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { HoltClient } from "../../src/library/index.ts";

const ROOT = join(import.meta.dir, "../..");

describe("the client library", () => {
  let bench: Bench;

  beforeAll(() => {
    bench = Bench.withDaemon();
    // As npm would install it.
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

  test("works in Node and in Bun, and starts the daemon by itself", async () => {
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

  test("has types of its own, that the example keeps to, and a wrong call does not", async () => {
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
    expect(await run([tsc, ...options, "example.mts"])).toMatchObject({ out: "", code: 0 });
    const wrong = `import { connect } from "holt/client";\nawait (await connect()).call("session.get", { id: 3 });\n`;
    writeFileSync(join(bench.root, "wrong.mts"), wrong);
    expect((await run([tsc, ...options, "wrong.mts"])).out).toContain("'id' does not exist");
  });

  test("a stream goes on at its cursor when the daemon is killed, with no gap and no byte twice", async () => {
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
});
