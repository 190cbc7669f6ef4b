import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import * as fc from "fast-check";
import { SequenceScanner } from "../../src/terminal/parser/sequence-scanner.ts";
import { chunksOf, cuts, streams, validStreams } from "../support/streams.ts";

interface Seen {
  kind: string;
  ended: string;
  start: number;
  end: number;
  final: string;
  body: string;
  truncated: boolean;
}

function scan(chunks: readonly Uint8Array[], keep = 4096) {
  const seen: Seen[] = [];
  const controls: number[] = [];
  const scanner = new SequenceScanner(
    {
      sequence: ({ kind, ended, start, end, final, body, truncated }) =>
        seen.push({
          kind,
          ended,
          start,
          end,
          final: String.fromCharCode(final),
          body: Buffer.from(body).toString("latin1"),
          truncated,
        }),
      control: (_, offset) => controls.push(offset),
    },
    { keep, controls: [0x05] },
  );
  let offset = 0;
  for (const chunk of chunks) {
    scanner.push(offset, chunk);
    offset += chunk.length;
  }
  return { seen, controls, boundary: scanner.boundary, open: scanner.open !== null, undecided: scanner.undecided };
}

const of = (text: string) => scan([Buffer.from(text)]);

test("sequences are reported with what they are and where", () => {
  expect(of("ab\x1b[?1;2$pc").seen).toEqual([
    { kind: "csi", ended: "final", start: 2, end: 10, final: "p", body: "?1;2$", truncated: false },
  ]);
  expect(of("\x1b]0;ti\x07").seen).toEqual([
    { kind: "osc", ended: "bel", start: 0, end: 7, final: "\0", body: "0;ti", truncated: false },
  ]);
  expect(of("\x1bP$qm\x1b\\\x1b#8").seen.map(({ kind, ended, body }) => [kind, ended, body])).toEqual([
    ["dcs", "st", "$qm"],
    ["escape", "final", "#"],
  ]);
  expect(of("\x1b_x\x1b\\\x1b^y\x1b\\\x1bXz\x1b\\").seen.map(({ kind, body }) => [kind, body])).toEqual([
    ["private", "x"],
    ["private", "y"],
    ["private", "z"],
  ]);
});

test("C1 controls are characters of UTF-8; the same bytes inside other characters, or alone, are not controls", () => {
  expect(of("\u009b6n\u009d0;Ü\u009c").seen.map(({ kind, body }) => [kind, body])).toEqual([
    ["csi", "6"],
    ["osc", "0;Ã\u009c"],
  ]);
  expect(scan([Uint8Array.of(0x9b, 0x36, 0x6e)]).seen).toEqual([]);
  expect(of("\x1b]2;Ü\u{1f61c}\x07").seen.map(({ ended }) => ended)).toEqual(["bel"]);
});

test("interrupting a sequence differs from ending it", () => {
  expect(of("\x1b[3\x1b[1m").seen.map(({ ended, start, end }) => [ended, start, end])).toEqual([
    ["interrupted", 0, 3],
    ["final", 3, 7],
  ]);
  expect(of("\x1b]0;a\x18b").seen.map(({ ended, end }) => [ended, end])).toEqual([["canceled", 6]]);
  expect(of("\x1b[3é").seen.map(({ ended, end }) => [ended, end])).toEqual([["interrupted", 3]]);
  expect(of("\x1b]0;a\x1b[m").seen.map(({ ended, end }) => [ended, end])).toEqual([
    ["interrupted", 5],
    ["final", 8],
  ]);
});

test("the boundary is where text and complete sequences end", () => {
  expect(of("abc").boundary).toBe(3);
  expect(of("abc\x1b[3").boundary).toBe(3);
  expect(of("abc\x1b[3\x1b[").boundary).toBe(3);
  expect(of("abc\x1b]0;title").boundary).toBe(3);
  expect(of("abc\x1b[0m").boundary).toBe(7);
  expect(scan([Uint8Array.of(0x61, 0xf0, 0x9f, 0x98)]).boundary).toBe(1);
  expect(scan([Uint8Array.of(0xf0), Uint8Array.of(0x9f), Uint8Array.of(0x98)]).boundary).toBe(0);
  expect(scan([Uint8Array.of(0xf0), Uint8Array.of(0x9f), Uint8Array.of(0x98, 0x80)]).boundary).toBe(4);
});

test("only the beginning of a long string is kept", () => {
  const payload = Buffer.from(`\x1b]0;${"x".repeat(100_000)}\x07`);
  for (const chunks of [[payload], chunksOf(payload, [3, 60, 5000, 99_000])]) {
    const { seen } = scan(chunks, 100);
    expect(seen.map(({ body, truncated, end }) => [body.length, truncated, end])).toEqual([[100, true, 100_005]]);
  }
});

test("any chunking reports the same", () => {
  fc.assert(
    fc.property(streams, cuts, fc.constantFrom(3, 4096), (bytes, places, keep) => {
      expect(scan(chunksOf(bytes, places), keep)).toEqual(scan([bytes], keep));
    }),
    { numRuns: 2000 },
  );
});

test("the CSI sequences found are those that xterm.js acts on", async () => {
  const finals = ["n", "c", "q", "u", "m", "h", "l"];
  const property = fc.asyncProperty(validStreams, async (bytes) => {
    const terminal = new Terminal({ allowProposedApi: true });
    const acted: string[] = [];
    for (const final of finals)
      for (const prefix of ["", "?", ">", "=", "<"])
        terminal.parser.registerCsiHandler({ final, prefix }, () => acted.push(prefix + final) > 0);
    await new Promise<void>((done) => terminal.write(bytes, done));
    terminal.dispose();
    const found: string[] = [];
    new SequenceScanner({
      sequence: (sequence) => {
        const key = sequence.marks + String.fromCharCode(sequence.final);
        if (sequence.kind !== "csi" || !sequence.complete || !sequence.wellFormed) return;
        if (finals.some((final) => /^[?>=<]?$/.test(key.slice(0, -1)) && key.endsWith(final))) found.push(key);
      },
    }).push(0, bytes);
    expect(found).toEqual(acted);
  });
  await fc.assert(property, { numRuns: 500 });
});
