/**
 * Pages of text: following the cursors reads every line once, and each page reports what it omits.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { grepPage } from "../../src/client/read/text/grep-page.ts";
import { readText, type TextRead, type TextRequest } from "../../src/client/read/text/read-text.ts";
import { counted } from "../../src/terminal/text/counted.ts";
import { LinePattern } from "../../src/terminal/text/line-pattern.ts";
import { SHORT_LINE, type TextLine } from "../../src/rendering/grep/text-lines.ts";
import { shortened } from "../../src/terminal/text/shorten-line.ts";
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
  finalNewline: false,
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
const LONGEST_SEQUENCE = 24;

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
      const firstEnd = naive[Math.min(count, naive.length) - 1]?.end;
      const isTied = naive.filter(({ end }) => end === firstEnd).length > 1;
      expectRange(textsIn(await read({ cursor, until })), made.all, cursor, until);
      if (isTied) return;
      expect(textsIn(await read({ head: count }))).toEqual(naive.slice(0, count).map(({ text }) => text));
      const lastTied = naive.at(-count)?.end === naive.at(-count - 1)?.end;
      if (!lastTied) expect(textsIn(await read({ tail: count }))).toEqual(naive.slice(-count).map(({ text }) => text));
    }),
    { numRuns: 150 },
  );
});

/**
 * The lines that end in (cursor, until], each whole, except a long one that begins before: of that,
 * the part behind the cursor. A line that goes on past `until` is shown as in a transcript that
 * ends there.
 */
function expectRange(told: string[], all: Part[], cursor: number, until: number): void {
  const rest = [...told];
  const lines = naiveLines(all, BLOCK).filter(({ end }) => end > cursor && end <= until);
  for (const { text, start } of lines) {
    if (start >= cursor || Buffer.byteLength(text) <= SHORT_LINE) expect(rest.shift()).toBe(text);
    else if (text.endsWith(rest[0] ?? "")) rest.shift();
  }
  const open = naiveLines(all, BLOCK).filter(({ start, end }) => start < until && until < end);
  // A line that moved to other rows counts several times.
  const rows = naiveLines(upTo(all, until), BLOCK).filter(({ start }) => open.some((line) => line.start <= start));
  // No part ends within a character or sequence: as in a transcript that ends there, or right
  // before it.
  const shown = new Set<string>();
  for (let end = until; end >= Math.max(0, until - LONGEST_SEQUENCE); end--)
    for (const { text } of naiveLines(upTo(all, end), BLOCK).slice(-rows.length - 2)) shown.add(text);
  // For a line that began before the range, only its bytes in the range count; line-parts.test.ts
  // tests their text.
  if (open.some(({ start }) => start < cursor)) return;
  expect(rest.filter((part) => part !== "" && !shown.has(part))).toEqual([]);
  expect(rest.length).toBeLessThanOrEqual(Math.max(open.length, rows.length));
}

function upTo(all: Part[], size: number): Part[] {
  let left = size;
  return all.flatMap((part): Part[] => {
    const length = Math.min(left, lengthOf([part]));
    left -= length;
    if (length === 0) return [];
    return ["gap" in part ? { gap: length } : { ...part, bytes: part.bytes.subarray(0, length) }];
  });
}

test("Following next_cursor gives every line once, however little fits on a page.", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (made) => {
      const naive = naiveOf(made);
      let text = "";
      for (let cursor = 0, page = 0; ; page++) {
        const result = await read({ cursor, maxTokens: SMALL });
        if (result.lines > 0) text += withoutNote(result);
        expect(page).toBeLessThan(naive.length + 2 + lengthOf(made.all) / SMALL);
        if (result.eof) break;
        expect(result.next_cursor).toBeGreaterThan(cursor);
        if (!SHORTENED.test(result.text)) expect(result.omitted?.cursor).toBe(result.next_cursor);
        cursor = result.next_cursor;
      }
      expectLines(text, naive);
    }),
    { numRuns: 150 },
  );
});

const SHORTENED = / … ([\d,]+) characters, cursor \d+ … /;

/**
 * Each of them, and nothing else. A redrawn line has no parts: without room for it, its middle is
 * left out, with a note on how much that is.
 */
function expectLines(text: string, naive: TextLine[]): void {
  let at = 0;
  for (const line of naive) {
    if (text.startsWith(`${line.text}\n`, at)) {
      at += line.text.length + 1;
      continue;
    }
    const told = text.slice(at, text.indexOf("\n", at));
    const [before = "", missing = "", after = ""] = told.split(SHORTENED);
    const letters = [...line.text];
    expect(told).toMatch(SHORTENED);
    expect([...before, ...after].length + Number(missing.replaceAll(",", ""))).toBe(letters.length);
    expect(line.text.startsWith(before) && line.text.endsWith(after)).toBe(true);
    at += told.length + 1;
  }
  expect(text.slice(at)).toBe("");
}

/** A line that was cut goes on with the next page. */
function withoutNote({ text, omitted }: TextRead): string {
  if (omitted === null) return `${text}\n`;
  const [, told = text, sign] = /^([^]*?)(\n| )?… [\d,]+ (?:lines?|bytes?), cursor \d+ …$/.exec(text) ?? [];
  return sign === " " ? told : `${told}\n`;
}

test("Text left out in the middle, or before the end, is read by its cursors.", async () => {
  const cuts = fc.constantFrom("middle" as const, "start" as const);
  await fc.assert(
    fc.asyncProperty(cases, cuts, async (made, cut) => {
      const naive = naiveOf(made).map(({ text }) => text);
      const result = await read({ cut, maxTokens: SMALL });
      const told = textsIn(result);
      const { omitted } = result;
      if (omitted === null) return expect(told.length).toBe(naive.length);
      if (result.text.includes(" characters, cursor ")) return;
      const rest = await read({ cursor: omitted.cursor, until: omitted.until });
      if (omitted.lines === null) {
        const note = ["", "\n", " "].flatMap((a) =>
          ["", "\n", " "].map((b) => `${a}… ${counted(omitted.bytes, "byte")}, cursor ${omitted.cursor} …${b}`),
        );
        const at = note.findLast((each) => result.text.includes(each)) ?? "";
        const [head, tail] = [at.startsWith("\n"), at.endsWith("\n")].map((isLine) => (isLine ? "\n" : ""));
        return expect(result.text.replace(at, `${head}${rest.text}${tail}`)).toBe(naive.join("\n"));
      }
      const missing = textsIn(rest);
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

/**
 * A note of 25 characters replaced 2, and a line was cut although the note was longer than the
 * omission.
 */
test("Text no longer than the note on its omission is shown.", async () => {
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
      const spec = { text: pattern, isRegex: true, ignoreCase: false };
      const expected = naive
        .filter(({ channel, text }) => channel !== null && new LinePattern(spec).matches(text))
        .map(({ start }) => start);
      const found: number[] = [];
      for (let cursor = 0; ; ) {
        const grep = { spec, before: around, after: around, maxMatches: 2 };
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

test("Equal lines are shown once with a count, and so are the frames of a spinner.", async () => {
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

/**
 * The middle of a line of 100 kB could not be read: any request returned its first and last
 * kilobyte, with a note that named the line's own start, and an answer that reported no omission.
 */
test("A line that fits is whole; for one that does not, the omission is reported and read by its cursors.", async () => {
  const line = Array.from({ length: 6000 }, (_, number) => `{"user${number}":"é"}`).join(",");
  const size = Buffer.byteLength(line);
  print(`${line}\nend\n`);
  expect((await read({})).text).toBe(`${line}\nend`);
  const cut = await read({ cut: "middle", maxTokens: 1000 });
  const { cursor, until, bytes, lines } = cut.omitted ?? { cursor: 0, until: 0, bytes: 0, lines: 0 };
  expect({ lines, bytes }).toEqual({ lines: null, bytes: until - cursor });
  expect(cut.estimated_tokens).toBeLessThanOrEqual(1000);
  const note = ` … ${bytes.toLocaleString("en")} bytes, cursor ${cursor} … `;
  expect(cut.text).toContain(note);
  const rest = await read({ cursor, until });
  expect(cut.text.replace(note, rest.text)).toBe(`${line}\nend`);
  expect((await read({ cursor: size - 9, head: 1 })).text).toBe(line.slice(-8));
  expect((await read({ head: 1, maxTokens: 100 })).omitted).toMatchObject({ until: size + 1 });
  expect((await read({ tail: 2, maxTokens: 100 })).text).toMatch(/^… [\d,]+ bytes, cursor 0 … .*\}\nend$/);
});

test("A match in a long line is shown with the text around it, and with the cursors of the rest.", async () => {
  const line = Array.from({ length: 6000 }, (_, number) => `{"user${number}":"é"}`).join(",");
  print(`first\n${line}\nend\n`);
  const spec = { text: 'user4500"', isRegex: true, ignoreCase: false };
  const grep = { spec, before: 0, after: 0, maxMatches: 10 };
  const { text, omitted } = await read({ grep, maxTokens: 200 });
  const [, part = "", bytes = "", cursor = ""] =
    /^… [\d,]+ bytes, cursor 6 … (.*"user4500".*) … ([\d,]+) bytes, cursor (\d+) …$/.exec(text) ?? [];
  expect(line).toContain(part);
  expect(omitted).toMatchObject({ cursor: 6, until: 7 + Buffer.byteLength(line) });
  const rest = await read({ cursor: Number(cursor), head: 1 });
  expect(Buffer.byteLength(rest.text)).toBe(Number(bytes.replaceAll(",", "")));
  expect(line.endsWith(part + rest.text)).toBe(true);
  expect((await read({ grep, cursor: Number(cursor) })).text).toBe("");
});

/** `a line of so … 44 characters, cursor 0 … 77672⟩`: the repeat count was cut like other text. */
test("The repeat count of a line is never cut.", async () => {
  print("a line of some length, which is repeated again and again\n".repeat(5000));
  const style = { collapse: true, cursors: false };
  for (const cut of ["end", "start", "middle"] as const)
    expect((await read({ cut, style, maxTokens: 100 })).text).toMatch(/^a line of .* again ⟨×5000⟩$/);
  print(`${"long ".repeat(1000)}\n`.repeat(5));
  const { text, omitted } = await read({ style, maxTokens: 100 });
  expect(text).toMatch(/^(?:long )+l?o?n?g? ?… [\d,]+ bytes, cursor \d+ …$/);
  expect(omitted?.until).toBe(25_005);
});

test("Output of equal lines only is read in bounded steps.", async () => {
  print("y\n".repeat(150_000));
  const { text, next_cursor, omitted, eof } = await read({ style: { collapse: true, cursors: false } });
  expect(text).toBe("y ⟨×100000⟩\n… 50,000 lines, cursor 200000 …");
  expect({ next_cursor, eof, cursor: omitted?.cursor }).toEqual({ next_cursor: 200_000, eof: false, cursor: 200_000 });
});
