/**
 * Somebody sent a file to a program that had stopped reading, and later its session said `completed`, exit code 0: that most of it had never been read was to be seen
 * nowhere. The end tells now how many bytes there were.
 */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bench } from "../support/holt.ts";
import { ended, sees, start } from "./driven.ts";

const UNTIL_GO = "until [ -e go ]; do sleep 0.02; done";
const MANY = 100_000;

test.each<[story: string, script: string, options: string[], sent: string, unread: number]>([
  ["a line and the beginning of another", `echo ready; ${UNTIL_GO}`, [], "one\ntwo", 7],
  ["all but the first line", `echo ready; read line; echo "read $line"; ${UNTIL_GO}`, [], "one\ntwo", 3],
  ["more than a terminal holds", `stty raw -echo; echo ready; ${UNTIL_GO}`, [], "x".repeat(MANY), MANY],
  ["what lies in a pipe", `echo ready; ${UNTIL_GO}`, ["--no-pty"], "one\ntwo", 7],
  ["more than a pipe holds", `echo ready; ${UNTIL_GO}`, ["--no-pty"], "x".repeat(MANY), MANY],
  ["nothing", `echo ready; head -c 8 >/dev/null; ${UNTIL_GO}`, [], "one\ntwo\n", 0],
  ["nothing of a pipe", `echo ready; head -c 7 >/dev/null; ${UNTIL_GO}`, ["--no-pty"], "one\ntwo", 0],
])("never read: %s", async (_, ...[script, options, sent, unread]) => {
  using bench = new Bench();
  await start(bench, `${script}; echo done`, options);
  await sees(bench, "ready");
  const { stderr, exitCode } = await bench.run(["send", "x", "--stdin"], { stdin: sent });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  if (script.includes("read line")) await sees(bench, "read one");
  writeFileSync(join(bench.root, "go"), "");
  await ended(bench);
  const told = bench.events("x").filter(({ type }) => type === "input_unread");
  const shown = JSON.parse((await bench.run(["show", "--json", "x"])).text) as { input_unread: number };
  const fields = (await bench.run(["show", "x"])).text;
  expect({
    final: bench.final("x").input_unread,
    shown: shown.input_unread,
    events: told.map(({ bytes }) => bytes),
    output: bench.output("x").toString().endsWith("done\n") || bench.output("x").toString().endsWith("done\r\n"),
    line: /unread\s+(\d+) of input/.exec(fields)?.[1] ?? null,
  }).toEqual({
    final: unread,
    shown: unread,
    events: unread === 0 ? [] : [unread],
    output: true,
    line: unread === 0 ? null : String(unread),
  });
});

test("of a secret that was never read not even the length is told", async () => {
  using bench = new Bench();
  await start(bench, `stty -echo; echo ready; ${UNTIL_GO}`);
  await sees(bench, "ready");
  expect(await bench.run(["send", "x", "--secret", "--enter"], { stdin: "hunter2\n" })).toMatchObject({ exitCode: 0 });
  writeFileSync(join(bench.root, "go"), "");
  await ended(bench);
  expect(bench.final("x").input_unread).toBeNull();
  expect(bench.events("x")).toContainEqual(expect.objectContaining({ type: "input_unread", bytes: null }));
});
