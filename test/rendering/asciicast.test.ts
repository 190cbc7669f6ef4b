import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Channel, Session } from "../../src/protocol/types/session.ts";
import { asciicast } from "../../src/rendering/export/asciicast.ts";
import { type Piece, type ResizePiece, upTo } from "../../src/rendering/export-pieces.ts";
import { type Cast, printed, readCasts, sessionOf } from "./casts.ts";

const START = Date.parse("2026-01-02T03:04:05.680Z");

interface Recorded {
  version?: 2 | 3;
  session?: Partial<Session>;
  from?: number;
  resizes?: readonly ResizePiece[];
}

function castOf(pieces: Iterable<Piece>, { version = 3, session, from = 0, resizes = [] }: Recorded = {}): string {
  const parts = asciicast(pieces, { version, session: sessionOf(session), from, isWhole: true, resizes, before: null });
  return [...parts].map(({ text }) => text).join("");
}

/** The events, with milliseconds since the event before. */
function events(cast: string): [number, string, string][] {
  const lines = cast.trimEnd().split("\n").slice(1);
  return lines.map((line) => {
    const [at, code, data] = JSON.parse(line) as [number, string, string];
    return [Math.round(at * 1000), code, data];
  });
}

const data = (cursor: number, at: number, text: string | Uint8Array, channel: Channel = "pty"): Piece => ({
  type: "data",
  cursor,
  timestamp: START + at,
  channel,
  bytes: Buffer.from(text),
});
const resize = (cursor: number, at: number, cols: number, rows: number): ResizePiece => ({
  type: "resize",
  cursor,
  timestamp: START + at,
  cols,
  rows,
});

describe("A recording", () => {
  test("counts from the event before in version 3, from the start in version 2, and ends with the exit status in version 3.", () => {
    const pieces = [data(0, 100, "a"), data(1, 350, "b")];
    expect(events(castOf(pieces))).toEqual([
      [100, "o", "a"],
      [250, "o", "b"],
      [650, "x", "0"],
    ]);
    expect(events(castOf(pieces, { version: 2 }))).toEqual([
      [100, "o", "a"],
      [350, "o", "b"],
    ]);
  });

  test("has the exit status that a shell would show, and none when it is unknown.", () => {
    const last = (session: Partial<Session>): unknown => events(castOf([], { session })).at(-1)?.[2];
    expect(last({ exit_code: 7 })).toBe("7");
    expect(last({ state: "signaled", exit_code: null, signal: "SIGTERM" })).toBe("143");
    expect(last({ state: "failed", reason: "spawn_failed", exit_code: 127 })).toBe("127");
    expect(last({ state: "failed", reason: "holder_lost", exit_code: null })).toBeUndefined();
    expect(last({ state: "running", reason: null, exit_code: null, ended_at: null })).toBeUndefined();
  });

  test("never runs backwards when the clock was set back, and goes on in its own time from there.", () => {
    const day = 86_400_000;
    const pieces = [data(0, 1000, "a"), data(1, 1000 - 10 * day, "b"), data(2, 1500 - 10 * day, "c")];
    expect(events(castOf(pieces)).slice(0, 3)).toEqual([
      [1000, "o", "a"],
      [0, "o", "b"],
      [500, "o", "c"],
    ]);
  });

  test("cuts a piece where the terminal was resized in the middle of it.", () => {
    const pieces = [data(0, 0, "aabb"), data(4, 100, "c")];
    expect(events(castOf(pieces, { resizes: [resize(2, 3, 100, 30), resize(5, 120, 40, 10)] }))).toEqual([
      [0, "o", "aa"],
      [3, "r", "100x30"],
      [0, "o", "bb"],
      [97, "o", "c"],
      [20, "r", "40x10"],
      [880, "x", "0"],
    ]);
  });

  test("begins with the size that held at its first cursor.", () => {
    const resizes = [resize(2, 3, 100, 30), resize(3, 120, 40, 10)];
    const [header = ""] = castOf([data(2, 50, "bb")], { from: 2, resizes }).split("\n");
    expect(JSON.parse(header)).toMatchObject({ term: { cols: 100, rows: 30 } });
    expect(events(castOf([data(2, 50, "bb")], { from: 2, resizes })).slice(0, 2)).toEqual([
      [0, "o", "b"],
      [70, "r", "40x10"],
    ]);
  });

  test("shows pipes as a terminal of 80x24 would have: CR LF for each newline, each channel's characters whole.", () => {
    const euro = Buffer.from("€");
    const pieces = [
      data(0, 0, euro.subarray(0, 1), "stdout"),
      data(1, 1, "err\n", "stderr"),
      data(5, 2, Buffer.concat([euro.subarray(1), Buffer.from("\n")]), "stdout"),
    ];
    const cast = castOf(pieces, { session: { transport_mode: "pipe", size: null } });
    expect(JSON.parse(cast.split("\n")[0] ?? "")).toMatchObject({ term: { cols: 80, rows: 24 } });
    expect(events(cast).slice(0, 2)).toEqual([
      [1, "o", "err\r\n"],
      [1, "o", "€\r\n"],
    ]);
  });

  test("marks missing bytes, and does not join a character across them.", () => {
    const euro = Buffer.from("€");
    const pieces: Piece[] = [
      data(0, 10, euro.subarray(0, 2)),
      { type: "gap", from: 2, to: 52 },
      data(52, 20, euro.subarray(2)),
    ];
    expect(events(castOf(pieces)).slice(0, 3)).toEqual([
      [10, "o", "\ufffd"],
      [0, "m", "50 bytes from cursor 2 on were not kept"],
      [10, "o", "\ufffd"],
    ]);
  });

  test("ends at the requested cursor, in the middle of a piece or of a gap.", () => {
    const pieces: Piece[] = [data(0, 0, "abc"), { type: "gap", from: 3, to: 9 }, data(9, 5, "d")];
    expect([...upTo(2, pieces)]).toEqual([data(0, 0, "ab")]);
    expect([...upTo(5, pieces)].slice(1)).toEqual([{ type: "gap", from: 3, to: 5 }]);
    expect([...upTo(9, pieces)]).toHaveLength(2);
  });
});

/** Characters of every length in UTF-8, and invalid bytes. */
const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

test("The text matches the bytes and time never falls, as another program reads it, whatever the chunks and clock changes.", async () => {
  const casts: { cast: string; text: string; sizes: string[] }[] = [];
  fc.assert(
    fc.property(
      bytes,
      fc.array(fc.record({ length: fc.integer({ min: 1, max: 5 }), at: fc.integer({ min: -5000, max: 5000 }) }), {
        maxLength: 40,
      }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
      fc.constantFrom(2 as const, 3 as const),
      (all, cuts, at, version) => {
        const pieces: Piece[] = [];
        let cursor = 0;
        for (const cut of [...cuts, { length: Number.POSITIVE_INFINITY, at: 0 }]) {
          const part = all.subarray(cursor, cursor + cut.length);
          if (part.length > 0) pieces.push(data(cursor, cut.at, part));
          cursor += part.length;
        }
        const resizes = at.toSorted((a, b) => a - b).map((place, number) => resize(place, number, 10 + number, 5));
        const cast = castOf(pieces, { version, resizes });
        const sizes = resizes.map(({ cols }) => `${cols}x5`);
        casts.push({ cast, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(all), sizes });
      },
    ),
    { numRuns: 60 },
  );
  const all = await readCasts(casts.map(({ cast }) => cast));
  for (const [i, { text, sizes }] of casts.entries()) {
    const read = all[i] as Cast;
    expect(printed(read)).toBe(text);
    expect(read.events.flatMap(([, code, size]) => (code === "r" ? [size] : []))).toEqual(sizes);
  }
});
