import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { EventLog } from "../../src/transcript/write/events.ts";
import { NewestEvents, readEvents } from "../../src/transcript/read/read-events.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
let dir: SessionDir;
beforeEach(() => {
  scratch = new Scratch();
  dir = SessionDir.create(scratch.layout, "s");
});
afterEach(() => {
  dir[Symbol.dispose]();
  scratch[Symbol.dispose]();
});

const types = () => readEvents(dir).map(({ type }) => type);

describe("events", () => {
  test("come back in order with their time and fields", () => {
    using events = EventLog.open(dir);
    events.append({ type: "resize", cols: 80, rows: 24 });
    events.append({ type: "state", from: "starting", to: "running" });
    expect(readEvents(dir)).toEqual([
      { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/), type: "resize", cols: 80, rows: 24 },
      { at: expect.any(String), type: "state", from: "starting", to: "running" },
    ]);
  });

  test("that are only noted are written with the next one, in their order, or at the end", () => {
    using events = EventLog.open(dir);
    events.note({ type: "first" });
    expect(types()).toEqual([]);
    events.append({ type: "second" });
    expect(types()).toEqual(["first", "second"]);
    events.note({ type: "last" });
    events[Symbol.dispose]();
    expect(types()).toEqual(["first", "second", "last"]);
  });

  test("are none where there is no file", () => {
    expect(readEvents(dir)).toEqual([]);
  });

  test("are found by their type, the newest of each, and nothing else that names it", () => {
    const decoy = { type: "note", text: '{"type":"gap","from":9}', inner: { type: "gap", from: 8 } };
    {
      using events = EventLog.open(dir);
      for (const from of [1, 2]) events.append({ type: "gap", from, to: null });
      events.append({ type: "quiet", since: "2026-01-02T03:04:05.678Z" });
      events.append(decoy);
    }
    appendFileSync(scratch.path("s", "events.jsonl"), '{"at":"2026-01-02T03:04:05.678Z","type":"active"}');
    const found = new NewestEvents(dir);
    expect(found.gap()).toEqual({ from: 2, to: null });
    expect(found.quietSince()).toBe("2026-01-02T03:04:05.678Z");
    expect(found.newest("note", "gap")).toMatchObject(decoy);
    expect(found.newest("resize")).toBeNull();
    appendFileSync(scratch.path("s", "events.jsonl"), "\n");
    expect(new NewestEvents(dir).quietSince()).toBeNull();
  });

  test("go on after a torn tail, which is overwritten", () => {
    EventLog.open(dir)[Symbol.dispose]();
    appendFileSync(scratch.path("s", "events.jsonl"), '{"at":"2026-01-02T03:04:05.678Z","type":"old"}\n{"at":"2026-01');
    expect(types()).toEqual(["old"]);
    using events = EventLog.open(dir);
    events.append({ type: "new" });
    expect(types()).toEqual(["old", "new"]);
    expect(readFileSync(scratch.path("s", "events.jsonl"), "utf8").split("\n")).toHaveLength(3);
  });

  test("never throw, whatever they are made of", () => {
    using events = EventLog.open(dir);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    events.append({ type: "circular", circular });
    events.append({ type: "bigint", value: 1n });
    events.append({ type: "fine" });
    events[Symbol.dispose]();
    events.append({ type: "too late" });
    expect(types()).toEqual(["fine"]);
  });

  test("stop at 4 MiB, with one that says so", () => {
    using events = EventLog.open(dir);
    for (let i = 0; i < 5000; i++) events.append({ type: "big", text: "ä".repeat(500) });
    expect(statSync(scratch.path("s", "events.jsonl")).size).toBeLessThanOrEqual(4 * 1024 * 1024);
    const all = types();
    expect(all.filter((type) => type === "events_truncated")).toHaveLength(1);
    expect(all.at(-1)).toBe("events_truncated");
  });

  test("are read from any bytes without an exception", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.json())), (lines) => {
        plant(scratch, "s", "events.jsonl", `${lines.join("\n")}\n`);
        expect(readEvents(dir)).toEqual([]);
      }),
    );
  });
});
