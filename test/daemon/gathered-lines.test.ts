import { expect, test } from "bun:test";
import { GatheredLines } from "../../src/daemon/gathered-lines.ts";
import { textOf } from "../../src/protocol/bytes.ts";

test("what is put in comes out in its order, whole lines at a time, however long they are", () => {
  const pieces: string[] = [];
  const lines = new GatheredLines((taken) => pieces.push(textOf(taken)));
  const put = Array.from({ length: 3000 }, (_, i) => `${i} ${"ä".repeat((i * 7) % 300)}\n`);
  put.splice(1500, 0, `${"long ".repeat(100_000)}\n`);
  for (const line of put) lines.text(line);
  lines.write();
  lines.write();
  expect(pieces.join("")).toBe(put.join(""));
  expect(pieces.every((piece) => piece.endsWith("\n"))).toBe(true);
});

test("digits are those of a number's text in base 36", () => {
  const pieces: string[] = [];
  const lines = new GatheredLines((taken) => pieces.push(textOf(taken)));
  const numbers = [0, 1, 9, 10, 35, 36, 37, 1295, 1296, 46_655, 46_656, 123_456_789, Number.MAX_SAFE_INTEGER];
  for (const number of numbers) {
    lines.digits(number);
    lines.ascii(" ");
  }
  lines.ascii(`${"a".repeat(100)} `);
  lines.write();
  expect(pieces.join("").split(" ")).toEqual([...numbers.map((number) => number.toString(36)), "a".repeat(100), ""]);
});
