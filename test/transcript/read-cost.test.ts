/** The cost of a read does not grow with the transcript: neither in time, nor in memory, nor in bytes looked at. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeIndexRecord } from "../../src/transcript/index-record.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { EventLog } from "../../src/transcript/write/events.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { finalOf, metaOf, plant, Scratch } from "./scratch.ts";

const KIB = 1024;
const GIB = 1024 ** 3;
const READ = 64 * KIB;

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
  make("small", READ, () => READ);
  make("big", 4 * GIB, () => READ);
  make("uneven", 4 * GIB, (offset) => (offset < 2 * GIB ? READ : 1 + ((offset * 7919) % (16 * KIB))));
});
afterAll(() => scratch[Symbol.dispose]());

/** A session that ended, with a sparse output and an index of records of the given lengths. */
function make(id: string, total: number, lengthAt: (offset: number) => number): void {
  scratch.end(id);
  const lines: string[] = [];
  for (let offset = 0; offset < total; ) {
    const length = Math.min(lengthAt(offset), total - offset);
    lines.push(encodeIndexRecord({ offset, length, channel: "pty", timestamp: "2026-01-02T03:04:05.678Z" }));
    offset += length;
  }
  plant(scratch, id, "meta.json", JSON.stringify(metaOf(id)));
  plant(scratch, id, "final.json", JSON.stringify(finalOf(id, { output_bytes: total })));
  writeFileSync(scratch.path(id, "index.jsonl"), lines.join(""));
  writeFileSync(scratch.path(id, "output.bin"), "");
  truncateSync(scratch.path(id, "output.bin"), total);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** As a tool call does it: open, read 64 KiB, close. */
function readOnce(id: string, cursor: number): void {
  using reader = TranscriptReader.open(scratch.layout, id);
  const { chunks } = reader.read({ cursor, maxBytes: READ });
  if (chunks.reduce((sum, { bytes }) => sum + bytes.length, 0) !== READ) throw new Error(`short read at ${cursor}`);
}

/** The median over many alternating pairs, with what is read already in the page cache: its cost is the kernel's. */
function ratio(id: string, cursors: number[]): number {
  for (const cursor of cursors) readOnce(id, cursor);
  const time = (what: string, list: number[]) => {
    const started = Bun.nanoseconds();
    for (const cursor of list) readOnce(what, cursor);
    return Bun.nanoseconds() - started;
  };
  const zeros = cursors.map(() => 0);
  return median(Array.from({ length: 61 }, () => time(id, cursors) / time("small", zeros)));
}

test.each(["big", "uneven"])("64 KiB anywhere in 4 GiB (%s) take at most 1.5 times what they take of 64 KiB", (id) => {
  const random = Array.from({ length: 16 }, (_, index) => Math.floor((index + 0.37) * ((4 * GIB - READ) / 16)));
  expect(ratio(id, random)).toBeLessThan(1.5);
  expect(ratio(id, [4 * GIB - READ])).toBeLessThan(1.5);
});

test("64 KiB anywhere in 4 GiB take a handful of small reads of the index", () => {
  const trace = join(scratch.root, "trace");
  const program = `
    const { TranscriptReader } = await import(${JSON.stringify(join(import.meta.dir, "../../src/transcript/read/reader.ts"))});
    const { layoutAt } = await import(${JSON.stringify(join(import.meta.dir, "../../src/transcript/layout.ts"))});
    using reader = TranscriptReader.open(layoutAt(${JSON.stringify(scratch.layout.root)}), "uneven");
    for (let i = 0; i < 20; i++) reader.read({ cursor: Math.floor((i + 0.37) * ${(4 * GIB - READ) / 20}), maxBytes: ${READ} });`;
  const filter = ["-P", scratch.path("uneven", "index.jsonl"), "-e", "trace=pread64"];
  const { exitCode } = Bun.spawnSync(["strace", "-f", "-qq", "-o", trace, ...filter, process.execPath, "-e", program]);
  expect(exitCode).toBe(0);
  const calls = readFileSync(trace, "utf8").trim().split("\n").length;
  expect(calls).toBeGreaterThan(20);
  expect(calls).toBeLessThan(20 * 14);
});

/**
 * A new daemon was slow to list sessions that live and write: the events of each were read and parsed as a whole three times for one list, for a gap, for quiet and for
 * the size.
 */
test("a list reads the events of a session that lives once", () => {
  using dir = SessionDir.create(scratch.layout, "living");
  dir.lock();
  plant(scratch, "living", "meta.json", JSON.stringify(metaOf("living")));
  {
    using events = EventLog.open(dir);
    for (let cols = 1; cols <= 500; cols++) events.append({ type: "resize", cols, rows: 24 });
  }
  const trace = join(scratch.root, "list-trace");
  const program = `
    const { listSessions } = await import(${JSON.stringify(join(import.meta.dir, "../../src/transcript/read/catalog.ts"))});
    const { layoutAt } = await import(${JSON.stringify(join(import.meta.dir, "../../src/transcript/layout.ts"))});
    const found = listSessions(layoutAt(${JSON.stringify(scratch.layout.root)}), { states: ["running"] });
    console.log(JSON.stringify(found.map(({ session_id, current_size }) => [session_id, current_size])));`;
  const filter = ["-P", scratch.path("living", "events.jsonl"), "-e", "trace=pread64"];
  const { stdout } = Bun.spawnSync(["strace", "-f", "-qq", "-o", trace, ...filter, process.execPath, "-e", program]);
  expect(JSON.parse(stdout.toString())).toEqual([["living", { cols: 500, rows: 24 }]]);
  expect(readFileSync(trace, "utf8").trim().split("\n")).toHaveLength(1);
});
