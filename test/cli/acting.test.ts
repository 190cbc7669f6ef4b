/** Commands that act on a session, on real sessions. */
import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import { Bench } from "../support/holt.ts";

async function start(bench: Bench, id: string, args: readonly string[]): Promise<void> {
  expect(await bench.run(["start", "--session-id", id, ...args])).toMatchObject({ exitCode: 0 });
}

async function ended(bench: Bench, id: string): Promise<void> {
  await until("it has ended", () => existsSync(join(bench.state, "sessions", id, "final.json")));
}

test("stop and kill list the sessions they ended apart from those that had already ended.", async () => {
  using bench = new Bench();
  await start(bench, "gone", ["--no-pty", "--", "true"]);
  await ended(bench, "gone");
  await start(bench, "a", ["--no-pty", "--", "sleep", "60"]);
  await start(bench, "b", ["--no-pty", "--", "sleep", "60"]);
  const json = async (...args: string[]): Promise<unknown> => JSON.parse((await bench.run(args)).text);
  expect(await json("stop", "--json", "gone", "a", "a")).toEqual({ stopped: ["a"], already_ended: ["gone"] });
  expect(await json("kill", "--json", "a", "b")).toEqual({ killed: ["b"], already_ended: ["a"] });
});

describe("An ended session", () => {
  test("is named in the error about typing into it; detaching from it is no error.", async () => {
    using bench = new Bench();
    await start(bench, "x", ["--name", "build", "--", "true"]);
    await ended(bench, "x");
    expect(await bench.run(["send", "build", "--enter"])).toMatchObject({
      exitCode: 1,
      stderr:
        "holt: session build (x) has ended\n      `holt logs x` shows what it printed; `holt start` starts another\n",
    });
    expect(await bench.run(["detach", "build"])).toMatchObject({ text: "", stderr: "", exitCode: 0 });
  });

  test("has a screen with the cursor fields of JSON-RPC; a cursor past its end is reported.", async () => {
    using bench = new Bench();
    await start(bench, "x", ["--", "printf", "ab\\ncd"]);
    await ended(bench, "x");
    const { text, stderr } = await bench.run(["screen", "x", "--json"]);
    expect(JSON.parse(text)).toMatchObject({ cursor: "6", row: 1, col: 2, cursor_visible: true, content: "ab\ncd" });
    expect(stderr).toBe("");
    expect(await bench.run(["screen", "x", "--at", "99"])).toMatchObject({
      text: "ab\ncd\n",
      stderr: "holt: cursor 99 is past the end of x; this is its screen at cursor 6\n",
      exitCode: 0,
    });
  });
});

test("A paste may be followed by Enter and keys.", async () => {
  using bench = new Bench();
  await start(bench, "x", ["--no-pty", "--", "head", "-c", "7"]);
  writeFileSync(join(bench.root, "words"), "some");
  const args = ["send", "x", "--paste", "words", "--enter", "--keys", "a,b", "--json"];
  expect(await bench.run(args)).toMatchObject({
    text: '{"bytes_written":7,"next_cursor":"0"}\n',
    stderr: "",
    exitCode: 0,
  });
  await ended(bench, "x");
  expect(bench.output("x").toString()).toBe("some\nab");
  for (const wrong of [
    ["--paste", "words", "--text", "x"],
    ["--stdin", "--enter"],
  ])
    expect(await bench.run(["send", "x", ...wrong])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("too many inputs"),
    });
});

test("resize refuses a session on pipes and hints at one on a terminal.", async () => {
  using bench = new Bench();
  await start(bench, "x", ["--no-pty", "--", "true"]);
  expect(await bench.run(["resize", "x", "80x24"])).toMatchObject({
    exitCode: 1,
    stderr:
      "holt: cannot resize a session on pipes: x\n      `holt start` without --no-pty runs a command on a terminal\n",
  });
  await ended(bench, "x");
});

test("`daemon start` starts the daemon, as does `daemon` alone.", async () => {
  using bench = new Bench();
  expect(await bench.run(["daemon", "start"])).toMatchObject({ stderr: "", exitCode: 0 });
  expect(await bench.run(["daemon", "status"])).toMatchObject({ exitCode: 0 });
  expect(await bench.run(["daemon", "stop"])).toMatchObject({ stderr: "", exitCode: 0 });
  expect(await bench.run(["daemon", "status"])).toMatchObject({ exitCode: 3 });
});

test("A system without threads to spare is not reported as a bug in holt.", async () => {
  using bench = new Bench();
  const script = `const { reportError } = await import(process.argv[1]);
    reportError(new Error("pthread_create failed (11)"), { json: true });
    reportError(Object.assign(new Error("EAGAIN: spawn"), { code: "EAGAIN" }), { json: true });`;
  const module = join(import.meta.dir, "../../src/cli/output/report-error.ts");
  const { stderr } = Bun.spawnSync([process.execPath, "-e", script, module], { env: bench.env });
  const lines = stderr.toString().trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).error.code)).toEqual(["ERLIMIT", "ERLIMIT"]);
  expect(lines[0]).toContain("ulimit -u");
});
