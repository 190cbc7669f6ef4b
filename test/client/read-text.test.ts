/** Pages of text: whoever follows the cursors reads every line once, and each page says what it leaves out. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { LocalSessions } from "../../src/client/local-sessions.ts";
import { grepPage } from "../../src/client/reading/grep-page.ts";
import { readText, type TextRead, type TextRequest } from "../../src/client/reading/read-text.ts";
import { LinePattern } from "../../src/terminal/line-pattern.ts";
import type { TextLine } from "../../src/rendering/text-lines.ts";
import { shortened } from "../../src/terminal/shorten.ts";
import { anyParts, lengthOf, naiveLines, type Part, write } from "../rendering/transcripts.ts";
import { StateDir } from "./sessions.ts";

let state: StateDir;
beforeAll(() => {
  state = new StateDir();
});
afterAll(() => state[Symbol.dispose]());

const ALL: TextRequest = {
  channel: null,
  cursor: 0,
  until: null,
  headBytes: null,
  tailBytes: null,
  head: null,
  tail: null,
  cut: "end",
  maxBytes: 1024 * 1024,
  maxTokens: null,
  style: { collapse: false, cursors: false },
  grep: null,
};

function read(request: Partial<TextRequest>, id = "x"): Promise<TextRead> {
  const { signal } = new AbortController();
  return readText({ sessions: new LocalSessions(state.layout), id, signal, grep: grepPage }, { ...ALL, ...request });
}

function print(text: string, id = "x"): void {
  write(state, id, [{ channel: "pty", bytes: Buffer.from(text) }], 65_536);
}

const BLOCK = 256 * 1024;
const SMALL = 100;
/** What is left of a line where only so many tokens fit. */
const short = (text: string, start: number): string => shortened(text, 18, start);

const cases = fc.record({ all: anyParts, record: fc.integer({ min: 1, max: 40 }) });

interface Made {
  all: Part[];
  record: number;
}

function naiveOf({ all, record }: Made): TextLine[] {
  write(state, "x", all, record);
  return naiveLines(all, BLOCK);
}

function textsIn({ text, lines }: TextRead): string[] {
  return lines === 0 ? [] : text.split("\n").filter((line) => !/^… [\d,]+ (?:lines?|bytes?), cursor \d+ …$/.test(line));
}

test("head, tail and ranges are those lines of the whole text.", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.integer({ min: 1, max: 12 }), fc.nat(), fc.nat(), async (made, count, a, b) => {
      const naive = naiveOf(made);
      const size = lengthOf(made.all);
      const [cursor = 0, until = 0] = [a % (size + 1), b % (size + 1)].toSorted((x, y) => x - y);
      const inRange = naive.filter(({ end }) => end > cursor && end <= until).map(({ text }) => short2000(text));
      const firstEnd = naive[Math.min(count, naive.length) - 1]?.end;
      const isTied = naive.filter(({ end }) => end === firstEnd).length > 1;
      expect(textsIn(await read({ cursor, until }))).toEqual(inRange);
      if (isTied) return;
      expect(textsIn(await read({ head: count }))).toEqual(naive.slice(0, count).map(({ text }) => short2000(text)));
      const lastTied = naive.at(-count)?.end === naive.at(-count - 1)?.end;
      if (!lastTied)
        expect(textsIn(await read({ tail: count }))).toEqual(naive.slice(-count).map(({ text }) => short2000(text)));
    }),
    { numRuns: 150 },
  );
});

const short2000 = (text: string): string => shortened(text, 2000, 0);

test("Following next_cursor gives every line once, however little fits on a page.", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (made) => {
      const naive = naiveOf(made);
      const texts: string[] = [];
      for (let cursor = 0, page = 0; ; page++) {
        const result = await read({ cursor, maxTokens: SMALL });
        texts.push(...textsIn(result));
        expect(page).toBeLessThan(naive.length + 2);
        if (result.eof) break;
        expect(result.next_cursor).toBeGreaterThan(cursor);
        expect(result.omitted?.cursor).toBe(result.next_cursor);
        cursor = result.next_cursor;
      }
      expect(texts).toEqual(naive.map(({ text, start }) => short(text, start)));
    }),
    { numRuns: 150 },
  );
});

test("What is left out in the middle, or before the end, is got by reading it.", async () => {
  const cuts = fc.constantFrom("middle" as const, "start" as const);
  await fc.assert(
    fc.asyncProperty(cases, cuts, async (made, cut) => {
      const naive = naiveOf(made).map(({ text, start }) => short(text, start));
      const result = await read({ cut, maxTokens: SMALL });
      const told = textsIn(result);
      const { omitted } = result;
      if (omitted === null) return expect(told.length).toBe(naive.length);
      const missing = textsIn(await read({ cursor: omitted.cursor, until: omitted.until }));
      expect(missing.length).toBe(omitted.lines ?? -1);
      expect(told.length + missing.length).toBe(naive.length);
      const at = result.text.split("\n").findIndex((line) => /^… [\d,]+ lines?, cursor \d+ …$/.test(line));
      expect(told.slice(0, at)).toEqual(naive.slice(0, at));
      expect(told.slice(at)).toEqual(naive.slice(at + missing.length));
      expect(result.eof).toBe(true);
    }),
    { numRuns: 150 },
  );
});

/** A note of 25 characters stood for 2, and a line was cut where the cut was longer than what it left out. */
test("What takes no more room than to say that it is missing is told.", async () => {
  const lines = Array.from({ length: 11 }, (_, number) => `${number}`.padStart(18, "x"));
  print(`${lines.join("\n")}\n`);
  for (const cut of ["end", "start", "middle"] as const) {
    const result = await read({ cut, maxTokens: SMALL });
    expect(result).toMatchObject({ text: lines.join("\n"), omitted: null, lines: 11, eof: true });
  }
  expect(shortened("x".repeat(40), 18, 0)).toBe("x".repeat(40));
  expect(shortened("x".repeat(80), 18, 0).length).toBeLessThan(80);
});

test("Following the cursors of grep gives every match once.", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.constantFrom("error", "a|o", "%"), fc.nat(2), async (made, pattern, around) => {
      const naive = naiveOf(made);
      const sought = { text: pattern, isRegex: true, ignoreCase: false };
      const expected = naive
        .filter(({ channel, text }) => channel !== null && new LinePattern(sought).matches(text))
        .map(({ start }) => start);
      const found: number[] = [];
      for (let cursor = 0; ; ) {
        const grep = { sought, before: around, after: around, maxMatches: 2 };
        const result = await read({ cursor, grep, maxTokens: SMALL, style: { collapse: true, cursors: true } });
        found.push(...(result.matched ?? []));
        if (result.eof) break;
        expect(result.next_cursor).toBeGreaterThan(cursor);
        cursor = result.next_cursor;
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});

test("A cut names what is missing and the cursor to get it.", async () => {
  print(Array.from({ length: 500 }, (_, i) => `line ${i + 1}\r\n`).join(""));
  const end = await read({ maxTokens: 100 });
  expect(end.text).toMatch(/^line 1\nline 2\n[^]*\n… \d+ lines, cursor \d+ …$/);
  expect(end.omitted?.lines).toBe(500 - end.lines);
  const start = await read({ tail: 400, maxTokens: 100 });
  expect(start.text).toMatch(/^… \d+ lines, cursor 0 …\nline [^]*\nline 500$/);
  const middle = await read({ cut: "middle", maxTokens: 100 });
  expect(middle.text).toMatch(/^line 1\n[^]*\n… \d+ lines, cursor \d+ …\n[^]*\nline 500$/);
  expect(middle.estimated_tokens).toBeLessThanOrEqual(100);
  expect((await read({ head: 2, tail: 1 })).text).toBe("line 1\nline 2\n… 497 lines, cursor 16 …\nline 500");
});

test("Lines alike are one that says how often, and so are the frames of a spinner.", async () => {
  print(`start\n${"waiting\n".repeat(40)}⠋ load\n⠙ load\n⠹ load\n| x\n/ x\n- x\n}\n}\ndone\n\n\n\n\n`);
  const { text, lines } = await read({ style: { collapse: true, cursors: false } });
  expect(text).toBe("start\nwaiting ⟨×40⟩\n⠹ load ⟨×3⟩\n- x ⟨×3⟩\n}\n}\ndone\n⟨×4⟩");
  expect(lines).toBe(54);
  expect((await read({ tail: 6, style: { collapse: true, cursors: false } })).text).toBe("}\ndone\n⟨×4⟩");
});

test("A progress bar is its last state, colours are gone, and characters that were cut are whole.", async () => {
  const text = "10%\r20%\r100%\r\n\x1b[31mred\x1b[0m é\r\n";
  const parts = [...Buffer.from(text)].map((byte) => ({ channel: "pty" as const, bytes: Uint8Array.of(byte) }));
  write(state, "x", parts, 1);
  expect((await read({})).text).toBe("100%\nred é");
});

test("A line that is too long says how much of it is missing.", async () => {
  print(`${"x".repeat(100_000)}\nend\n`);
  expect((await read({})).text).toMatch(/^x+ … 98,000 characters, cursor 0 … x+\nend$/);
});

test("What is nothing but repetition is read in bounded steps.", async () => {
  print("y\n".repeat(150_000));
  const { text, next_cursor, omitted, eof } = await read({ style: { collapse: true, cursors: false } });
  expect(text).toBe("y ⟨×100000⟩\n… 50,000 lines, cursor 200000 …");
  expect({ next_cursor, eof, cursor: omitted?.cursor }).toEqual({ next_cursor: 200_000, eof: false, cursor: 200_000 });
});
