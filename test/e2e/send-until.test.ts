/**
 * A program that answers at once has answered before anybody can wait for it: `holt send` and then `holt wait --until match=…` waited for ever.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Bench } from "../support/holt.ts";

const ECHO = ["sh", "-c", "stty -echo; echo ready; while read -r line; do echo got $line; done; exit 7"];
let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  await bench.run(["start", "--name", "s", "--", ...ECHO]);
  await bench.run(["wait", "s", "--until", "match=ready", "--since", "0"]);
});
afterEach(async () => {
  await bench.run(["kill", "s"]);
  bench[Symbol.dispose]();
});

test("what is typed is waited for, and only what comes after it counts", async () => {
  for (let round = 0; round < 5; round++) {
    const { text, exitCode } = await bench.run(["send", "s", "-t", "it", "--enter", "--until", "match=^got it$"]);
    expect({ text, exitCode }).toEqual({ text: "got it\n", exitCode: 0 });
  }
  const again = await bench.run([
    "send",
    "s",
    "-t",
    "no",
    "--enter",
    "--until",
    "match=^got it$",
    "--timeout",
    "200ms",
  ]);
  expect(again).toMatchObject({ text: "", exitCode: 124 });
});

test("in JSON it says both what was sent and what came of it", async () => {
  const { text } = await bench.run(["send", "s", "-t", "it", "--enter", "--until", "match=^got", "--json"]);
  const told = JSON.parse(text) as { next_cursor: string; cursor: string };
  expect(told).toMatchObject({ bytes_written: 3, outcome: "matched", match: "got", exit_code: null });
  expect(Number(told.cursor)).toBeGreaterThan(Number(told.next_cursor));
});

test("one that ends instead is told as holt wait tells it", async () => {
  expect(await bench.run(["send", "s", "--eof", "--until", "match=never"])).toMatchObject({ exitCode: 3 });
});

test("how long to wait, with nothing to wait for, is refused before anything is typed", async () => {
  const { exitCode, stderr } = await bench.run(["send", "s", "-t", "it", "--enter", "--timeout", "1s"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("--until") });
  const { exitCode: bad } = await bench.run(["send", "s", "-t", "it", "--enter", "--until", "nonsense"]);
  expect(bad).toBe(2);
  expect((await bench.run(["logs", "--raw", "s"])).text).not.toContain("got it");
});

/** A review found that the echo of the line was taken for the answer: that is so, and an anchor tells them apart. */
test("what the terminal echoes is printed, and a pattern with anchors is not taken in by it", async () => {
  await bench.run(["start", "--name", "echoes", "--", "sh", "-c", "while read -r line; do echo $line; done"]);
  const send = (text: string, pattern: string) =>
    bench.run(["send", "echoes", "-t", text, "--enter", "--until", `match=${pattern}`, "--json"]);
  const loose = JSON.parse((await send("say fin", "fin")).text) as { cursor: string; next_cursor: string };
  expect(Number(loose.cursor) - Number(loose.next_cursor)).toBe("say fin".length);
  expect(JSON.parse((await send("x\nfin", "^fin$")).text)).toMatchObject({ outcome: "matched", match: "fin" });
  await bench.run(["kill", "echoes"]);
});
