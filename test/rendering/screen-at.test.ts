import { afterEach, beforeEach, expect, test } from "bun:test";
import { screenAt } from "../../src/rendering/screen-at.ts";
import { textOf } from "../../src/protocol/types/bytes.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";
import { Scratch } from "../transcript/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const MIB = 1024 * 1024;
const LINES = "\x1b[2m12\x1b[0m \x1b[1;31merror\x1b[0m: \x1b[38;5;208mfile.ts\x1b[39m is not there, é\r\n";
const FRAME = "\x1b[H\x1b[7m top\x1b[K\x1b[0m\x1b[5;9H\x1b[32mload │\x1b[K\x1b[0m\x1b[9;1Hbelow";

test.each([
  ["lines in colours", LINES],
  ["a full-screen program", FRAME],
])("A long session without keyframes is rendered exactly, with progress from its beginning: %s.", async (_, text) => {
  const output = Buffer.from(text.repeat(Math.ceil((9 * MIB) / text.length)));
  scratch.end("long", { output: output.toString() });
  const reported: number[] = [];
  using renderer = await screenAt({
    layout: scratch.layout,
    id: "long",
    cursor: null,
    progress: (done, total) => {
      expect(total).toBe(output.length);
      reported.push(done);
    },
  });
  expect(reported[0]).toBe(0);
  expect(reported).toEqual(reported.toSorted((a, b) => a - b));
  using all = new Emulator({ cols: 80, rows: 24, fastPath: false });
  all.write(output);
  expect(renderer.emulator.screen()).toEqual(all.screen());
  expect(textOf(renderer.emulator.replay())).toBe(textOf(all.replay()));
});
