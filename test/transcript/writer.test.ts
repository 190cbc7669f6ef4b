import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import type { IndexRecord } from "../../src/transcript/index-record.ts";
import type { GapNotice } from "../../src/transcript/write/writer.ts";
import { bytesOf, type Held, patternAt, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function records(id = "s"): Pick<IndexRecord, "offset" | "length" | "channel">[] {
  const lines = readFileSync(scratch.path(id, "index.jsonl"), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const { offset, length, channel } = JSON.parse(line) as IndexRecord;
    return { offset, length, channel };
  });
}

/** Appends what belongs at the cursor. */
function append({ writer }: Held, length: number, now: number, channel: "pty" | "stdout" | "stderr" = "pty"): void {
  writer.append(channel, patternAt(writer.produced, length), now);
}

describe("index records", () => {
  test("of the first bytes after a quiet moment are written at once", () => {
    using held = scratch.hold("s");
    append(held, 10, START);
    expect(records()).toEqual([{ offset: 0, length: 10, channel: "pty" }]);
    append(held, 10, START + 5);
    expect(records()).toHaveLength(2);
    expect(readFileSync(scratch.path("s", "index.jsonl"), "utf8")).toStartWith(
      '{"offset":0,"length":10,"channel":"pty","timestamp":"2026-01-02T03:04:05.678Z"}\n',
    );
  });

  test("gather what follows within 5 ms, and are written by themselves after that", async () => {
    using held = scratch.hold("s");
    append(held, 10, START);
    for (let i = 0; i < 4; i++) append(held, 10, START + i);
    expect(records()).toHaveLength(1);
    const deadline = performance.now() + 5000;
    while (records().length < 2 && performance.now() < deadline) await Bun.sleep(1);
    expect(records()).toEqual([
      { offset: 0, length: 10, channel: "pty" },
      { offset: 10, length: 40, channel: "pty" },
    ]);
  });

  test("hold one channel and at most 64 KiB each", () => {
    using held = scratch.hold("s");
    append(held, 1, START);
    append(held, 150_000, START + 1);
    append(held, 5, START + 1, "stderr");
    append(held, 5, START + 1, "stdout");
    held.writer.flushIndex();
    expect(records()).toEqual([
      { offset: 0, length: 1, channel: "pty" },
      { offset: 1, length: 65_536, channel: "pty" },
      { offset: 65_537, length: 65_536, channel: "pty" },
      { offset: 131_073, length: 18_928, channel: "pty" },
      { offset: 150_001, length: 5, channel: "stderr" },
      { offset: 150_006, length: 5, channel: "stdout" },
    ]);
  });

  test("begin anew when the clock is set back", () => {
    using held = scratch.hold("s");
    append(held, 10, START);
    append(held, 10, START + 1);
    append(held, 10, START - 3_600_000);
    expect(records()).toHaveLength(3);
  });

  test("are all there once the writer is closed, and closing twice does no harm", () => {
    const held = scratch.hold("s");
    append(held, 10, START);
    append(held, 10, START + 1);
    held[Symbol.dispose]();
    held.writer[Symbol.dispose]();
    held.writer.append("pty", Buffer.from("too late"), START);
    expect(records()).toHaveLength(2);
    expect(statSync(scratch.path("s", "output.bin")).size).toBe(20);
  });
});

describe("the capture limit", () => {
  test.each([0, 1, 4095, 4096, 4097, 10_000])("of %d bytes holds to the byte", (maxBytes) => {
    const notices: GapNotice[] = [];
    using held = scratch.hold("s", { maxBytes, onGap: (gap) => notices.push(gap) });
    for (let i = 0; i < 5; i++) append(held, 4096, START + i);
    held.writer.flushIndex();
    expect(statSync(scratch.path("s", "output.bin")).size).toBe(maxBytes);
    expect(bytesOf(scratch.read("s").chunks)).toEqual(patternAt(0, maxBytes));
    expect(notices).toEqual([{ from: maxBytes, to: null, cause: "limit" }]);
    expect(held.writer.gaps).toEqual([{ from: maxBytes, to: null }]);
    const { produced, captured, truncated } = held.writer;
    expect({ produced, captured, truncated }).toEqual({ produced: 20_480, captured: false, truncated: true });
  });

  test("that is just reached is no gap", () => {
    using held = scratch.hold("s", { maxBytes: 4096 });
    append(held, 4096, START);
    expect([held.writer.truncated, held.writer.captured]).toEqual([false, true]);
  });
});

describe("live readers in the holder", () => {
  test("get bytes that have no index record yet", () => {
    using held = scratch.hold("s");
    append(held, 10, START);
    append(held, 10, START + 1);
    expect(bytesOf(scratch.read("s").chunks)).toEqual(patternAt(0, 10));
    expect(held.writer.recent(10, 100)).toEqual({
      cursor: 10,
      channel: "pty",
      timestamp: START + 1,
      bytes: new Uint8Array(patternAt(10, 10)),
    });
    expect(held.writer.recent(15, 2)?.bytes).toEqual(new Uint8Array(patternAt(15, 2)));
    expect(held.writer.recent(20, 100)).toBeNull();
    held.writer.flushIndex();
    expect(held.writer.recent(10, 100)).toBeNull();
  });

  test("get the last megabyte of a gap, channel by channel, and are told where it starts", () => {
    using held = scratch.hold("s", { maxBytes: 100 });
    append(held, 150, START);
    append(held, 10, START + 1, "stderr");
    expect(held.writer.recent(0, 1000)).toMatchObject({ cursor: 100, channel: "pty", timestamp: START });
    expect(held.writer.recent(0, 1000)?.bytes).toEqual(new Uint8Array(patternAt(100, 50)));
    expect(held.writer.recent(155, 1000)).toMatchObject({ cursor: 155, channel: "stderr" });
    expect(held.writer.recent(155, 1000)?.bytes).toEqual(new Uint8Array(patternAt(155, 5)));

    append(held, 3 * 1024 * 1024 + 17, START + 2);
    const { produced } = held.writer;
    const oldest = held.writer.recent(0, 100_000);
    expect(oldest?.cursor).toBe(produced - 1024 * 1024);
    let cursor = oldest?.cursor ?? 0;
    while (cursor < produced) {
      const { bytes } = held.writer.recent(cursor, 60_000) ?? { bytes: new Uint8Array() };
      expect(bytes.length).toBeGreaterThan(0);
      expect(bytes).toEqual(new Uint8Array(patternAt(cursor, bytes.length)));
      cursor += bytes.length;
    }
    expect(held.writer.recent(produced, 1)).toBeNull();
  });

  test("never get wrong bytes, however the gap's bytes came", () => {
    using held = scratch.hold("s", { maxBytes: 0 });
    const sizes = [1, 7, 1024 * 1024, 65_536, 3, 1024 * 1024 - 1, 2, 999_983, 1];
    for (const [index, size] of sizes.entries()) {
      append(held, size, START + index, index % 2 === 0 ? "stdout" : "stderr");
      const from = Math.max(0, held.writer.produced - 1024 * 1024);
      const first = held.writer.recent(0, 70_000);
      expect(first?.cursor).toBe(from);
      expect(first?.bytes).toEqual(new Uint8Array(patternAt(from, first?.bytes.length ?? 0)));
    }
  });

  test("keep their bound when channels alternate byte by byte", () => {
    using held = scratch.hold("s", { maxBytes: 0 });
    for (let i = 0; i < 10_000; i++) append(held, 1, START, i % 2 === 0 ? "stdout" : "stderr");
    const first = held.writer.recent(0, 100);
    expect(first?.bytes).toEqual(new Uint8Array(patternAt(first?.cursor ?? 0, 1)));
    expect(first?.cursor).toBe(10_000 - 4096);
  });
});
