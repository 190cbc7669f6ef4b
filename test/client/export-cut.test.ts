/**
 * Found by a review: for each part of a line without an end, eight megabytes were searched for one,
 * 7 to 17 ms a part without a yield, so other calls had to wait. The same happened for any line
 * with colours.
 */
import { expect, test } from "bun:test";
import { findCut } from "../../src/client/read/export-cut.ts";
import type { TranscriptReader } from "../../src/client/sessions/local-sessions.ts";
import { bytesOf } from "../../src/protocol/types/bytes.ts";

const PART = 4096;

/** Output on a terminal, in records of an odd length, and the number of bytes read of it. */
function printed(text: string) {
  const bytes = bytesOf(text);
  const read = { bytes: 0, breaths: 0 };
  const reader = {
    read({ cursor, maxBytes }: { cursor: number; maxBytes: number }) {
      const next_cursor = Math.min(bytes.length, cursor + maxBytes);
      read.bytes += next_cursor - cursor;
      const chunks = [];
      for (let at = cursor; at < next_cursor; at += 1021)
        chunks.push({ channel: "pty", offset: at, bytes: bytes.subarray(at, Math.min(next_cursor, at + 1021)) });
      return { chunks, next_cursor };
    },
  } as unknown as TranscriptReader;
  const cutAt = (from: number): Promise<number> =>
    findCut(reader, { from, end: bytes.length, bytes: PART, needsLines: true }, async () => void read.breaths++);
  return { bytes, read, cutAt };
}

test("a line with colours is cut where its part is full, and never within a colour or a character", async () => {
  const { bytes, read, cutAt } = printed("\x1b[38;5;196mwörd\x1b[0m ".repeat(20_000));
  let parts = 0;
  for (let at = 0; at < bytes.length; parts++) {
    const next = await cutAt(at);
    expect(next - at).toBeLessThanOrEqual(PART);
    expect(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(at, next))).toMatch(
      /^(?:\x1b\[[\d;]*m|[wörd ])*$/,
    );
    at = next;
  }
  expect(parts).toBeGreaterThan(bytes.length / PART);
  expect(read).toEqual({ bytes: expect.any(Number), breaths: 0 });
  expect(read.bytes).toBeLessThanOrEqual(parts * PART);
});

test("the end of a line that erases text is searched with yields, and once for all of its parts", async () => {
  const { read, cutAt } = printed("50%\r".repeat(3_000_000));
  const first = await cutAt(0);
  expect(first).toBe(PART);
  expect(read.bytes).toBeGreaterThanOrEqual(8 * 1024 * 1024);
  expect(read.breaths).toBeGreaterThan(30);
  read.bytes = 0;
  expect(await cutAt(first)).toBe(2 * PART);
  expect(read.bytes).toBeLessThanOrEqual(2 * PART);
});

test("the end is searched if only append-only parts of the line went before", async () => {
  const line = `${"x".repeat(PART)}${"50%\r".repeat(PART)}\n`;
  const { cutAt } = printed(`before \r\n${line}next\n`.concat("more\n".repeat(PART)));
  const start = "before \r\n".length;
  const first = await cutAt(start);
  expect(first).toBe(start + PART);
  expect(await cutAt(first)).toBe(start + line.length);
});
