import { expect, test } from "bun:test";
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { keyframeBefore, keyframeCursors, writeKeyframe } from "../../src/transcript/write/keyframes.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { Scratch } from "./scratch.ts";

const frame = (cursor: number, text = `at ${cursor}`) => ({
  cursor,
  cols: 80,
  rows: 24,
  replay: new TextEncoder().encode(text),
});

test("The last one at or before a cursor is found, with its size and its bytes.", () => {
  using scratch = new Scratch();
  scratch.end("x", { output: "abc" });
  using dir = SessionDir.open(scratch.layout, "x");
  expect(keyframeBefore(dir, 1000)).toBeNull();
  for (const cursor of [400, 0, 12_000]) writeKeyframe(dir, frame(cursor));
  expect(keyframeCursors(dir)).toEqual([0, 400, 12_000]);
  expect(keyframeBefore(dir, 399)).toMatchObject({ cursor: 0 });
  expect(keyframeBefore(dir, 400)).toEqual(frame(400));
  expect(keyframeBefore(dir, 1e9)).toMatchObject({ cursor: 12_000, cols: 80, rows: 24 });
});

test("They are the owner's alone, and go with their session.", () => {
  using scratch = new Scratch();
  scratch.end("x", {});
  {
    using dir = SessionDir.open(scratch.layout, "x");
    writeKeyframe(dir, frame(5));
  }
  expect(lstatSync(scratch.path("x", "keyframes")).mode & 0o777).toBe(0o700);
  expect(lstatSync(scratch.path("x", "keyframes", "5")).mode & 0o777).toBe(0o600);
  expect(readdirSync(scratch.path("x", "keyframes"))).toEqual(["5"]);
});

test.each([
  ["is cut short", '{"format":1,"cursor":7,"cols":80,"rows":24,"bytes":99}\nshort'],
  ["is of another format", '{"format":9,"cursor":7,"cols":80,"rows":24,"bytes":1}\nx'],
  ["names another cursor", '{"format":1,"cursor":8,"cols":80,"rows":24,"bytes":1}\nx'],
  ["has no size", '{"format":1,"cursor":7,"cols":0,"rows":24,"bytes":1}\nx'],
  ["is no JSON", "\x00\xff\n"],
  ["is empty", ""],
])("One that %s is not there: the one before it is.", (_, content) => {
  using scratch = new Scratch();
  scratch.end("x", {});
  using dir = SessionDir.open(scratch.layout, "x");
  writeKeyframe(dir, frame(3));
  writeFileSync(scratch.path("x", "keyframes", "7"), content);
  expect(keyframeBefore(dir, 100)).toMatchObject({ cursor: 3 });
});

test("A link is not followed, neither to a keyframe nor to a folder of them.", () => {
  using scratch = new Scratch();
  scratch.end("x", {});
  scratch.end("y", {});
  using dir = SessionDir.open(scratch.layout, "x");
  writeKeyframe(dir, frame(3));
  symlinkSync(scratch.path("x", "keyframes", "3"), scratch.path("x", "keyframes", "9"));
  expect(keyframeBefore(dir, 100)).toMatchObject({ cursor: 3 });
  mkdirSync(`${scratch.root}/elsewhere`);
  symlinkSync(`${scratch.root}/elsewhere`, scratch.path("y", "keyframes"));
  using other = SessionDir.open(scratch.layout, "y");
  expect(() => writeKeyframe(other, frame(1))).toThrow();
  expect(readdirSync(`${scratch.root}/elsewhere`)).toEqual([]);
});
