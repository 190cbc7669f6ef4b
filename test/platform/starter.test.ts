/** The executable with the starter in front of its runtime, as the build makes it (scripts/starter.ts). */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { withStarter } from "../../scripts/starter.ts";
import { STARTER_X64 } from "../../src/platform/native/starter-code.ts";
import { Bench, HOLT } from "../support/holt.ts";

const PT_LOAD = 1;
const PT_NOTE = 4;
const TABLE_BYTES = 16;

/** Headers of a program for that machine, of that type, with those segments; nothing behind them. */
function elf({ machine = 62, type = 2, segments = [PT_LOAD, PT_NOTE] } = {}): Uint8Array {
  const file = new Uint8Array(64 + segments.length * 56);
  const view = new DataView(file.buffer);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, type, true);
  view.setUint16(18, machine, true);
  view.setBigUint64(24, 0x401000n, true);
  view.setBigUint64(32, 64n, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, segments.length, true);
  for (const [i, segment] of segments.entries()) {
    view.setUint32(64 + i * 56, segment, true);
    view.setBigUint64(64 + i * 56 + 16, 0x400000n, true);
    view.setBigUint64(64 + i * 56 + 40, 0x1234n, true);
  }
  return file;
}

describe("The starter", () => {
  test.each([
    ["what is no executable", new TextEncoder().encode("#!/bin/sh\n")],
    ["an empty file", new Uint8Array(0)],
    ["one for another machine", elf({ machine: 183 })],
    ["one that may be loaded anywhere", elf({ type: 3 })],
    ["one without a note", elf({ segments: [PT_LOAD] })],
    ["one of macOS", new Uint8Array([0xcf, 0xfa, 0xed, 0xfe, ...new Uint8Array(100)])],
  ])("leaves %s as it is", async (_, file) => {
    expect(await withStarter(file)).toBeNull();
  });

  test("is behind the file, above all that is loaded, and knows where the runtime begins", async () => {
    const file = elf();
    const made = (await withStarter(file)) ?? new Uint8Array(0);
    const view = new DataView(made.buffer);
    const at = 64 + 56;
    const words = [8, 16, 32, 40, 48].map((offset) => Number(view.getBigUint64(at + offset, true)));
    const length = made.length - 0x1000;
    expect(words).toEqual([0x1000, 0x402000, length, length, 0x1000]);
    expect([view.getUint32(at, true), view.getUint32(at + 4, true)]).toEqual([PT_LOAD, 5]);
    expect(view.getBigUint64(24, true)).toBe(0x402000n);
    const code = Uint8Array.fromBase64(STARTER_X64);
    const table = code.length - TABLE_BYTES;
    expect(made.subarray(0x1000, 0x1000 + table)).toEqual(code.subarray(0, table));
    expect(view.getBigUint64(0x1000 + table, true)).toBe(0x401000n);
    expect(made.subarray(64, at)).toEqual(file.subarray(64, at));
  });

  test("is where this executable begins, once: nothing is left to put it in the place of", async () => {
    const file = readFileSync(HOLT);
    const entry = Number(file.readBigUInt64LE(24));
    const code = file.indexOf(Uint8Array.fromBase64(STARTER_X64).subarray(0, -TABLE_BYTES));
    const headers = Array.from({ length: file.readUInt16LE(56) }, (_, i) => 64 + i * 56);
    const own = headers.filter((at) => Number(file.readBigUInt64LE(at + 16)) === entry);
    expect(own.map((at) => Number(file.readBigUInt64LE(at + 8)))).toEqual([code]);
    expect(await withStarter(file)).toBeNull();
  });

  test("lets everything else through to the runtime, arguments and environment untouched", async () => {
    using bench = new Bench({ MARK: "ä\n" });
    expect(await bench.run(["version"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await bench.run([])).toMatchObject({ exitCode: 0 });
    expect(await bench.run(["start"])).toMatchObject({ exitCode: 2 });
    expect((await bench.run(["run", "--", "sh", "-c", 'printf "%s|" "$MARK" "$@"', "sh", "", "a b"])).text).toBe(
      "ä\n||a b|",
    );
  });
});
