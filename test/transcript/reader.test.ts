import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { appendFileSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import type { Channel } from "../../src/protocol/types/session.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { bytesOf, codeOf, finalOf, metaOf, patternAt, plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const CHANNELS: Channel[] = ["pty", "stdout", "stderr"];

describe("a read", () => {
  test("returns exactly the bytes with stable cursors, however they were written and are read", () => {
    const pieces = fc.array(
      fc.record({
        length: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 200_000 })),
        pause: fc.constantFrom(0, 1, 4, 5, 100),
        channel: fc.constantFrom(...CHANNELS),
      }),
      { maxLength: 30 },
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 10 });
    let number = 0;
    fc.assert(
      fc.property(pieces, sizes, (list, reads) => {
        const id = `p${number++}`;
        const expected: { channel: Channel; bytes: Buffer }[] = [];
        {
          using held = scratch.hold(id);
          writeMeta(held.dir, metaOf(id));
          let now = START;
          for (const { length, pause, channel } of list) {
            now += pause;
            const bytes = patternAt(held.writer.produced, length);
            held.writer.append(channel, bytes, now);
            expected.push({ channel, bytes });
          }
          held.writer.flushIndex();
          held.dir.writeAtomic("final.json", JSON.stringify(finalOf(id, { output_bytes: held.writer.produced })), {
            sync: false,
          });
        }
        using reader = TranscriptReader.open(scratch.layout, id);
        const total = expected.reduce((sum, { bytes }) => sum + bytes.length, 0);
        const byChannel = new Map<Channel, Buffer[]>(CHANNELS.map((channel) => [channel, []]));
        let cursor = 0;
        for (let turn = 0; ; turn++) {
          const maxBytes = reads[turn % reads.length] ?? 1;
          const result = reader.read({ cursor, maxBytes });
          expect(reader.read({ cursor, maxBytes })).toEqual(result);
          for (const { offset, bytes, channel } of result.chunks) {
            expect(offset).toBe(cursor);
            expect(bytes).toEqual(patternAt(offset, bytes.length));
            byChannel.get(channel)?.push(Buffer.from(bytes));
            cursor += bytes.length;
          }
          expect([result.next_cursor, result.truncated]).toEqual([cursor, false]);
          expect(result.eof).toBe(cursor === total);
          if (result.eof) break;
          expect(bytesOf(result.chunks).length).toBe(Math.min(maxBytes, bytesOf(result.chunks).length));
          expect(result.chunks.length).toBeGreaterThan(0);
        }
        for (const channel of CHANNELS) {
          const wanted = Buffer.concat(expected.filter((piece) => piece.channel === channel).map(({ bytes }) => bytes));
          expect(Buffer.concat(byChannel.get(channel) ?? []).equals(wanted)).toBe(true);
          const only = reader.read({ cursor: 0, maxBytes: 2 ** 30, channel });
          expect(bytesOf(only.chunks).equals(wanted)).toBe(true);
          expect([only.next_cursor, only.eof]).toEqual([total, true]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("cuts chunks at index records and gives each its channel and time", () => {
    using held = scratch.hold("s");
    held.writer.append("stdout", Buffer.from("out"), START);
    held.writer.append("stderr", Buffer.from("err"), START + 7);
    held.writer.flushIndex();
    expect(scratch.read("s", { cursor: 1, maxBytes: 4 })).toEqual({
      chunks: [
        { channel: "stdout", offset: 1, timestamp: "2026-01-02T03:04:05.678Z", bytes: Buffer.from("ut") },
        { channel: "stderr", offset: 3, timestamp: "2026-01-02T03:04:05.685Z", bytes: Buffer.from("er") },
      ],
      next_cursor: 5,
      eof: false,
      truncated: false,
    });
  });

  test("of a session that has nothing yet, not even its files, is empty and not the end", () => {
    using dir = SessionDir.create(scratch.layout, "s");
    using reader = TranscriptReader.open(scratch.layout, "s");
    const nothing = { chunks: [], next_cursor: 0, eof: false, truncated: false };
    expect(reader.read({ cursor: 0, maxBytes: 10 })).toEqual(nothing);
    dir.lock();
    expect(reader.read({ cursor: 0, maxBytes: 10 })).toEqual(nothing);
    expect([reader.end(), reader.tailCursor(5)]).toEqual([0, 0]);
    expect(codeOf(() => reader.session())).toBe("ENOTFOUND");
  });

  test("sees what is written after the reader was opened", () => {
    SessionDir.create(scratch.layout, "s")[Symbol.dispose]();
    using reader = TranscriptReader.open(scratch.layout, "s");
    reader.read({ cursor: 0, maxBytes: 10 });
    using held = scratch.hold("s");
    held.writer.append("pty", Buffer.from("one"), START);
    expect(bytesOf(reader.read({ cursor: 0, maxBytes: 10 }).chunks).toString()).toBe("one");
    held.writer.append("pty", Buffer.from("two"), START + 10);
    expect(bytesOf(reader.read({ cursor: 3, maxBytes: 10 }).chunks).toString()).toBe("two");
    expect(reader.end()).toBe(6);
  });

  test("past the end waits for bytes there while the session lives, and is brought back once it is over", () => {
    {
      using held = scratch.hold("s");
      writeMeta(held.dir, metaOf("s"));
      held.writer.append("pty", Buffer.from("abc"), START);
      expect(scratch.read("s", { cursor: 100 })).toEqual({
        chunks: [],
        next_cursor: 100,
        eof: false,
        truncated: false,
      });
    }
    expect(scratch.read("s", { cursor: 100 })).toEqual({ chunks: [], next_cursor: 3, eof: true, truncated: false });
  });

  test("of nothing at all moves nothing", () => {
    scratch.end("s", { output: "abc" });
    expect(scratch.read("s", { maxBytes: 0 })).toEqual({ chunks: [], next_cursor: 0, eof: false, truncated: false });
  });

  test("by channel passes over the others a bounded way at a time", () => {
    using held = scratch.hold("s");
    for (let i = 0; i < 20_000; i++) held.writer.append(i % 2 === 0 ? "stdout" : "pty", Buffer.of(65), START);
    held.writer.append("stderr", Buffer.from("here"), START + 100);
    held.writer.flushIndex();
    const first = scratch.read("s", { channel: "stderr" });
    expect(first.chunks).toEqual([]);
    expect(first.next_cursor).toBeGreaterThan(10_000);
    const second = scratch.read("s", { channel: "stderr", cursor: first.next_cursor });
    expect(bytesOf(second.chunks).toString()).toBe("here");
  });
});

describe("the end", () => {
  test("is told only when the session is final and the cursor there", () => {
    using reader = (() => {
      using held = scratch.hold("s");
      writeMeta(held.dir, metaOf("s"));
      held.writer.append("pty", Buffer.from("abcdef"), START);
      const opened = TranscriptReader.open(scratch.layout, "s");
      expect(opened.read({ cursor: 0, maxBytes: 10 }).eof).toBe(false);
      return opened;
    })();
    expect(reader.read({ cursor: 0, maxBytes: 3 }).eof).toBe(false);
    expect(reader.read({ cursor: 3, maxBytes: 3 })).toMatchObject({ next_cursor: 6, eof: true });
    expect(reader.read({ cursor: 6, maxBytes: 3 })).toMatchObject({ next_cursor: 6, eof: true });
  });

  test("comes with everything that was written before it, also between our look and the end", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s"));
    using reader = TranscriptReader.open(scratch.layout, "s");
    held.writer.append("pty", Buffer.from("abc"), START);
    reader.read({ cursor: 0, maxBytes: 10 });
    held.writer.append("pty", Buffer.from("last words"), START + 1); // not indexed yet
    held.dir.writeAtomic("final.json", JSON.stringify(finalOf("s", { output_bytes: 13 })), { sync: false });
    expect(bytesOf(reader.read({ cursor: 3, maxBytes: 100 }).chunks).toString()).toBe("last words");
  });

  test("that left bytes uncaptured is truncated, and its cursor is what was produced", () => {
    {
      using held = scratch.hold("s", { maxBytes: 4 });
      writeMeta(held.dir, metaOf("s"));
      held.writer.append("pty", Buffer.from("0123456789"), START);
      held.dir.writeAtomic("final.json", JSON.stringify(finalOf("s", { output_bytes: 10, truncated: true })), {
        sync: false,
      });
    }
    expect(scratch.read("s", { maxBytes: 4 })).toMatchObject({ next_cursor: 10, eof: true, truncated: true });
    expect(scratch.read("s", { cursor: 4 })).toEqual({ chunks: [], next_cursor: 10, eof: true, truncated: true });
    expect(scratch.read("s", { cursor: 10 })).toEqual({ chunks: [], next_cursor: 10, eof: true, truncated: false });
  });
});

describe("a holder that died", () => {
  function die(mode: "posix-pty" | "pipe", indexTail: string): void {
    {
      using held = scratch.hold("s");
      writeMeta(held.dir, metaOf("s", { transport_mode: mode }));
      held.writer.append("pty", Buffer.from("indexed "), START);
    }
    appendFileSync(scratch.path("s", "output.bin"), "and not");
    appendFileSync(scratch.path("s", "index.jsonl"), indexTail);
    utimesSync(scratch.path("s", "output.bin"), 1_700_000_000, 1_700_000_000.5);
  }

  test.each([
    "",
    '{"offset":8,"len',
    '{"offset":8,"length":7,"channel":"pty","timestamp":"2026-01-02T03:0',
    "\0\0\0\0",
    "\n\n",
  ])("before it indexed its last bytes, leaving %j, has them read to the last one", (tail) => {
    die("posix-pty", tail);
    const { chunks, next_cursor, eof, truncated } = scratch.read("s");
    expect(bytesOf(chunks).toString()).toBe("indexed and not");
    expect(chunks[1]).toMatchObject({ channel: "pty", offset: 8, timestamp: "2023-11-14T22:13:20.500Z" });
    expect({ next_cursor, eof, truncated }).toEqual({ next_cursor: 15, eof: true, truncated: false });
    expect(bytesOf(scratch.read("s", { cursor: 10, maxBytes: 3 }).chunks).toString()).toBe("d n");
  });

  test("in pipe mode has them read as stdout", () => {
    die("pipe", "");
    expect(scratch.read("s").chunks.map(({ channel }) => channel)).toEqual(["pty", "stdout"]);
    expect(bytesOf(scratch.read("s", { channel: "stdout" }).chunks).toString()).toBe("and not");
  });

  test("keeps them hidden as long as it lives, since the record is on its way", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s"));
    held.writer.append("pty", Buffer.from("indexed "), START);
    appendFileSync(scratch.path("s", "output.bin"), "and not");
    expect(bytesOf(scratch.read("s").chunks).toString()).toBe("indexed ");
  });

  test("and whose index was lost altogether has its output read", () => {
    scratch.lose("s", { output: "everything" });
    rmSync(scratch.path("s", "index.jsonl"));
    expect(bytesOf(scratch.read("s").chunks).toString()).toBe("everything");
    plant(scratch, "s", "index.jsonl", "\u0000garbage\n".repeat(1000));
    expect(bytesOf(scratch.read("s").chunks).toString()).toBe("everything");
  });

  test("and whose output lost what the index names, as after a power cut, is read as far as it goes", () => {
    scratch.lose("s", { output: "0123456789" });
    truncateSync(scratch.path("s", "output.bin"), 4);
    expect(scratch.read("s")).toMatchObject({ next_cursor: 4, eof: true });
    rmSync(scratch.path("s", "output.bin"));
    expect(scratch.read("s")).toEqual({ chunks: [], next_cursor: 0, eof: true, truncated: false });
  });
});

describe("an index with a hole", () => {
  test("is a gap: passed over, and told", () => {
    scratch.lose("s", { output: "0123456789" });
    const line = (offset: number, length: number) =>
      `{"offset":${offset},"length":${length},"channel":"pty","timestamp":"2026-01-02T03:04:05.678Z"}\n`;
    writeFileSync(scratch.path("s", "index.jsonl"), line(0, 3) + line(5, 0) + line(5, 5) + line(2 ** 50, 5));
    const { chunks, ...rest } = scratch.read("s");
    expect(chunks.map(({ offset, bytes }) => [offset, Buffer.from(bytes).toString()])).toEqual([
      [0, "012"],
      [5, "56789"],
    ]);
    expect(rest).toEqual({ next_cursor: 10, eof: true, truncated: true });
    expect(scratch.read("s", { maxBytes: 3 })).toMatchObject({ next_cursor: 3, truncated: false, eof: false });
    expect(scratch.read("s", { cursor: 4, maxBytes: 1 })).toMatchObject({
      next_cursor: 6,
      truncated: true,
      eof: false,
    });
  });
});

describe("the last lines", () => {
  test.each([
    ["", 3, ""],
    ["one", 1, "one"],
    ["one\n", 1, "one\n"],
    ["one\ntwo", 1, "two"],
    ["one\ntwo\n", 1, "two\n"],
    ["one\ntwo\nthree\n", 2, "two\nthree\n"],
    ["one\ntwo\n", 9, "one\ntwo\n"],
    ["\n\n\n", 2, "\n\n"],
    ["one\ntwo\n", 0, ""],
  ])("of %j, %d of them, are %j", (output, lines, expected) => {
    scratch.end("s", { output });
    using reader = TranscriptReader.open(scratch.layout, "s");
    expect(output.slice(reader.tailCursor(lines))).toBe(expected);
  });

  test("are found across any distance", () => {
    const output = `first\n${"x".repeat(65_535)}\n${"y".repeat(200_000)}\nlast`;
    scratch.end("s", { output });
    using reader = TranscriptReader.open(scratch.layout, "s");
    for (let lines = 1; lines <= 5; lines++) {
      expect(output.slice(reader.tailCursor(lines))).toBe(output.split("\n").slice(-lines).join("\n"));
    }
  });
});

test("a reader that is disposed of twice closes nothing of others", () => {
  scratch.end("s", { output: "abc" });
  const reader = TranscriptReader.open(scratch.layout, "s");
  reader.read({ cursor: 0, maxBytes: 1 });
  reader[Symbol.dispose]();
  scratch.end("t", { output: "def" });
  using other = TranscriptReader.open(scratch.layout, "t");
  other.read({ cursor: 0, maxBytes: 1 });
  reader[Symbol.dispose]();
  expect(bytesOf(other.read({ cursor: 0, maxBytes: 9 }).chunks).toString()).toBe("def");
  expect(readFileSync(scratch.path("t", "output.bin"), "utf8")).toBe("def");
});
