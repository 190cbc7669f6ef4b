import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { closeSync, fstatSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastRecord, parseIndexRecord, recordsPast } from "../../src/transcript/read/index-file.ts";
import { encodeIndexRecord, type IndexRecord } from "../../src/transcript/index-record.ts";
import { Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

const TIMESTAMP = "2026-01-02T03:04:05.678Z";

/** The records past a cursor, and the last one, of a file with this content. */
function search(content: string | Buffer, cursor: number, end: number) {
  const path = join(scratch.root, "index");
  writeFileSync(path, content);
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    const past = [...recordsPast(fd, { size, cursor, end })];
    return { past: past.map(({ position: _position, ...record }) => record), last: lastRecord(fd, size) };
  } finally {
    closeSync(fd);
  }
}

const runs = fc.array(
  fc.record({
    gap: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(1_000_000) }),
    length: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 65_536 }), fc.constant(65_536)),
    channel: fc.constantFrom("pty" as const, "stdout" as const, "stderr" as const),
  }),
  { maxLength: 400 },
);

function recordsOf(list: { gap: number; length: number; channel: IndexRecord["channel"] }[]): IndexRecord[] {
  let offset = 0;
  return list.map(({ gap, length, channel }) => {
    const record = { offset: offset + gap, length, channel, timestamp: TIMESTAMP };
    offset = record.offset + length;
    return record;
  });
}

describe("a line", () => {
  test("comes back as the record it was made of, and is plain JSON", () => {
    const record: IndexRecord = { offset: 2 ** 52, length: 65_536, channel: "stderr", timestamp: TIMESTAMP };
    const line = encodeIndexRecord(record);
    expect(line.endsWith("\n")).toBe(true);
    expect(JSON.parse(line)).toEqual(record);
    expect(parseIndexRecord(line)).toEqual(record);
  });

  test("that is anything else is null and never an exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (line) => parseIndexRecord(line) === null),
    );
    for (const change of [
      { offset: -1 },
      { length: 1.5 },
      { channel: "TTY" },
      { timestamp: "now" },
      { offset: 2 ** 60 },
    ]) {
      expect(
        parseIndexRecord(JSON.stringify({ offset: 0, length: 1, channel: "pty", timestamp: TIMESTAMP, ...change })),
      ).toBeNull();
    }
  });
});

describe("the search", () => {
  test("finds the record of any cursor, or the first after it, whatever the sizes and gaps", () => {
    fc.assert(
      fc.property(runs, fc.double({ min: 0, max: 1.1, noNaN: true }), (list, share) => {
        const records = recordsOf(list);
        const end = (records.at(-1)?.offset ?? 0) + (records.at(-1)?.length ?? 0);
        const cursor = Math.floor(end * share);
        const { past, last } = search(records.map(encodeIndexRecord).join(""), cursor, end);
        expect(past).toEqual(records.filter(({ offset, length }) => offset + length > cursor));
        expect(last?.offset).toEqual(records.at(-1)?.offset);
      }),
      { numRuns: 300 },
    );
  });

  test("does not mind an estimate of the end that is wrong", () => {
    const records = recordsOf(Array.from({ length: 2000 }, () => ({ gap: 0, length: 10, channel: "pty" as const })));
    for (const end of [0, 1, 20_000, 2 ** 50]) {
      for (const cursor of [0, 5, 9999, 19_999]) {
        const { past } = search(records.map(encodeIndexRecord).join(""), cursor, end);
        expect(past[0]?.offset).toBe(cursor - (cursor % 10));
      }
    }
  });

  test("passes over garbage lines and a torn tail, and finds every record that is whole", () => {
    const garbage = fc.oneof(
      fc.constant("\n"),
      fc.constant("\0".repeat(700)),
      fc.string({ unit: "binary", maxLength: 2000 }).map((text) => text.replaceAll("\n", " ")),
    );
    fc.assert(
      fc.property(runs, fc.array(fc.tuple(fc.nat(400), garbage), { maxLength: 8 }), fc.nat(80), (list, junk, torn) => {
        const records = recordsOf(list);
        const lines = records.map(encodeIndexRecord);
        for (const [at, text] of junk) lines.splice(Math.min(at, lines.length), 0, `${text}\n`);
        lines.push(
          encodeIndexRecord({ offset: 2 ** 40, length: 1, channel: "pty", timestamp: TIMESTAMP }).slice(0, torn),
        );
        const end = (records.at(-1)?.offset ?? 0) + (records.at(-1)?.length ?? 0);
        const cursor = Math.floor(end / 2);
        const { past, last } = search(Buffer.from(lines.join(""), "latin1"), cursor, end);
        expect(past.filter(({ offset, length }) => offset + length > cursor)).toEqual(
          records.filter(({ offset, length }) => offset + length > cursor),
        );
        expect(last?.offset).toEqual(records.at(-1)?.offset);
      }),
      { numRuns: 200 },
    );
  });

  test("ends on any bytes at all", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.nat(), fc.nat(), (bytes, cursor, end) => {
        expect(search(Buffer.from(bytes), cursor, end).past).toEqual([]);
      }),
    );
  });
});
