import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { FinalRecord, writeMeta } from "../../src/transcript/records.ts";
import { parseFinal, parseMeta, readFinal, readMeta } from "../../src/transcript/read/read-records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { codeOf, finalOf, metaOf, plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

const json = JSON.stringify;

describe("a record", () => {
  test("comes back as it was written", () => {
    using dir = SessionDir.create(scratch.layout, "roundtrip");
    const meta = metaOf("roundtrip", {
      argv: ["sh", "-c", "echo \u{1F9A6}\0\n"],
      name: "näme",
      process: null,
      size: null,
    });
    writeMeta(dir, meta);
    expect(readMeta(dir)).toEqual(meta);
    const final = finalOf("roundtrip", { state: "signaled", signal: "SIGTERM", exit_code: null, usage: null });
    dir.writeAtomic("final.json", json(final), { sync: true });
    expect(readFinal(dir)).toEqual(final);
  });

  test("of a later format is read by the fields that are known, and the others are left out", () => {
    const later = { ...metaOf("a"), format: 99, colour: "blue", holder: { ...metaOf("a").holder, host: "x" } };
    expect(parseMeta(json(later))).toEqual(metaOf("a", { format: 99 }));
    expect(parseFinal(json({ ...finalOf("a"), format: 2, mood: "good" }))).toEqual(finalOf("a", { format: 2 }));
  });

  test("of a holt that knew no restarts is a whole one", () => {
    const { previous_session_id: _previous, restart: _restart, ...earlier } = metaOf("a");
    expect(parseMeta(json(earlier))).toEqual(metaOf("a"));
    const { timeout_ms: _timeout, idle_timeout_ms: _idle, client_rules: _rules, ...before } = metaOf("a");
    expect(parseMeta(json(before))).toEqual(metaOf("a"));
  });

  test("has the place of its session in a chain", () => {
    const restart = {
      when: "on_failure",
      max_restarts: 3,
      delay_ms: 0,
      count: 2,
      in_a_row: 1,
      starts_at: "2026-01-02T03:04:05.680Z",
    } as const;
    const meta = metaOf("a", { previous_session_id: "b", restart });
    expect(parseMeta(json(meta))).toEqual(meta);
    expect(parseMeta(json({ ...meta, restart: { ...restart, when: "never" } }))).toBeNull();
    expect(parseMeta(json({ ...meta, previous_session_id: "../b" }))).toBeNull();
  });

  const LATER_FIELDS = [
    "previous_session_id",
    "restart",
    "limits",
    "linger",
    "channels",
    "started_by",
    "timeout_ms",
    "idle_timeout_ms",
    "client_rules",
  ];
  const required = Object.keys(metaOf("a")).filter((field) => !LATER_FIELDS.includes(field));
  test.each(required)("meta.json without %s is none", (field) => {
    expect(parseMeta(json({ ...metaOf("a"), [field]: undefined }))).toBeNull();
    expect(parseMeta(json({ ...metaOf("a"), [field]: { un: "expected" } }))).toBeNull();
  });

  const LATER_FINAL_FIELDS = ["survivors", "ended_uptime", "input_unread"];
  const always = Object.keys(finalOf("a")).filter((field) => !LATER_FINAL_FIELDS.includes(field));
  test.each(always)("final.json without %s is none", (field) => {
    expect(parseFinal(json({ ...finalOf("a"), [field]: undefined }))).toBeNull();
    expect(parseFinal(json({ ...finalOf("a"), [field]: [] }))).toBeNull();
  });

  test("final.json from before anything could linger left nothing running", () => {
    expect(parseFinal(json({ ...finalOf("a"), survivors: undefined }))?.survivors).toEqual([]);
    expect(parseFinal(json({ ...finalOf("a"), survivors: [7] }))).toBeNull();
  });

  test("final.json from before the uptime at the end was kept has none", () => {
    expect(parseFinal(json({ ...finalOf("a"), ended_uptime: undefined }))?.ended_uptime).toBeNull();
    expect(parseFinal(json({ ...finalOf("a"), ended_uptime: { boot_id: 7, uptime_ms: 1 } }))).toBeNull();
    const ended_uptime = { boot_id: "b", uptime_ms: 1 };
    expect(parseFinal(json(finalOf("a", { ended_uptime })))).toEqual(finalOf("a", { ended_uptime }));
  });

  test("with a time, a number or a word that cannot be is none", () => {
    expect(parseMeta(json(metaOf("a", { created_at: "yesterday" })))).toBeNull();
    expect(parseMeta(json(metaOf("a", { created_at: "2026-99-99T00:00:00.000Z" })))).toBeNull();
    expect(parseMeta(json(metaOf("a", { retention_seconds: -1 })))).toBeNull();
    expect(parseMeta(json(metaOf("../../etc")))).toBeNull();
    expect(parseFinal(json({ ...finalOf("a"), state: "running" }))).toBeNull();
    expect(parseFinal(json({ ...finalOf("a"), output_bytes: 1.5 }))).toBeNull();
    expect(parseFinal(json({ ...finalOf("a"), output_bytes: 2 ** 60 }))).toBeNull();
  });

  test("of another session, in a directory that was copied, is none", () => {
    using dir = SessionDir.create(scratch.layout, "copy");
    writeMeta(dir, metaOf("original"));
    expect(readMeta(dir)).toBeNull();
  });

  test("that is missing, empty or endless is none", () => {
    using dir = SessionDir.create(scratch.layout, "odd");
    expect([readMeta(dir), readFinal(dir)]).toEqual([null, null]);
    plant(scratch, "odd", "meta.json", "");
    plant(scratch, "odd", "final.json", `${json(finalOf("odd")).slice(0, -1)}${" ".repeat(5 * 1024 * 1024)}}`);
    expect([readMeta(dir), readFinal(dir)]).toEqual([null, null]);
  });

  test("with the longest command line the system takes is read", () => {
    using dir = SessionDir.create(scratch.layout, "long");
    const meta = metaOf("long", { argv: Array.from({ length: 16 }, () => "x".repeat(128 * 1024)) });
    writeMeta(dir, meta);
    expect(readMeta(dir)).toEqual(meta);
  });
});

describe("parsing", () => {
  test("never throws and answers null on any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constant("null"), fc.constant("[]")),
        (text) => {
          expect([parseMeta(text), parseFinal(text)]).toEqual([null, null]);
        },
      ),
    );
  });

  test("never throws on a record with any of its bytes cut, changed or doubled", () => {
    const whole = Buffer.from(json(metaOf("a")));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.constantFrom("cut", "set", "double"), (at, byte, how) => {
        const head = whole.subarray(0, at);
        const damaged = { cut: [head], set: [head, Buffer.of(byte), whole.subarray(at + 1)], double: [head, whole] }[
          how
        ];
        const parsed = parseMeta(Buffer.concat(damaged).toString());
        if (parsed !== null) expect(Object.keys(parsed)).toEqual(Object.keys(metaOf("a")));
      }),
    );
  });

  test("gives back any record that can be", () => {
    const name = fc.option(fc.string());
    fc.assert(
      fc.property(name, fc.array(fc.string()), fc.nat(), fc.boolean(), (label, argv, seconds, shared) => {
        const meta = metaOf("a", { name: label, argv, retention_seconds: seconds, shared });
        expect(parseMeta(json(meta))).toEqual(meta);
      }),
    );
  });
});

describe("the final record", () => {
  test("has its place on disk from the start and is nowhere to be seen until it is written", () => {
    using dir = SessionDir.create(scratch.layout, "reserved");
    using final = FinalRecord.reserve(dir);
    const [draft = ""] = readdirSync(scratch.path("reserved"));
    expect(statSync(scratch.path("reserved", draft)).blocks * 512).toBeGreaterThanOrEqual(4096);
    expect([dir.has("final.json"), (statSync(scratch.path("reserved", draft)).mode & 0o777).toString(8)]).toEqual([
      false,
      "600",
    ]);
    final.write(finalOf("reserved"));
    expect(readdirSync(scratch.path("reserved"))).toEqual(["final.json"]);
    const written = (): string => readFileSync(scratch.path("reserved", "final.json"), "utf8");
    expect([written().trimEnd(), readFinal(dir)]).toEqual([json(finalOf("reserved")), finalOf("reserved")]);
    final.settle();
    expect(written()).toBe(`${json(finalOf("reserved"))}\n`);
  });

  test("that was never written leaves nothing", () => {
    using dir = SessionDir.create(scratch.layout, "unwritten");
    FinalRecord.reserve(dir)[Symbol.dispose]();
    expect(readdirSync(scratch.path("unwritten"))).toEqual([]);
  });

  test("keeps to its place however long the error is", () => {
    using dir = SessionDir.create(scratch.layout, "wordy");
    using final = FinalRecord.reserve(dir);
    final.write(finalOf("wordy", { state: "failed", error: { code: "EIO", message: "\u0001".repeat(100_000) } }));
    expect(statSync(scratch.path("wordy", "final.json")).size).toBeLessThanOrEqual(4096);
    expect(readFinal(dir)?.error?.code).toBe("EIO");
  });

  test("is written another way when its place is gone", () => {
    using dir = SessionDir.create(scratch.layout, "second-way");
    using final = FinalRecord.reserve(dir);
    const [draft = ""] = readdirSync(scratch.path("second-way"));
    Bun.spawnSync(["rm", scratch.path("second-way", draft)]);
    final.write(finalOf("second-way"));
    expect(readFinal(dir)).toEqual(finalOf("second-way"));
  });

  test("tells when it cannot be written at all", () => {
    using dir = SessionDir.create(scratch.layout, "blocked");
    using final = FinalRecord.reserve(dir);
    mkdirSync(scratch.path("blocked", "final.json"));
    writeFileSync(scratch.path("blocked", "final.json", "x"), "");
    expect(codeOf(() => final.write(finalOf("blocked")))).toBe("EDENIED");
  });
});
