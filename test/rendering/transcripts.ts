/**
 * Random transcripts, on disk and in memory, and their lines as a byte-by-byte reader finds them.
 */
import * as fc from "fast-check";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Channel } from "../../src/protocol/types/session.ts";
import type { TextLine } from "../../src/rendering/grep/text-lines.ts";
import { unfinishedLength } from "../../src/terminal/parser/unfinished-end.ts";
import { textOfRawLine } from "../../src/terminal/text/line-text.ts";
import { encodeIndexRecord } from "../../src/transcript/index-record.ts";
import type { StateDir } from "../client/sessions.ts";
import { finalOf, metaOf } from "../support/records.ts";

export type Part = { channel: Channel; bytes: Uint8Array } | { gap: number };

const word = fc.constantFrom(
  "error",
  "warning: x",
  "ok",
  " ",
  "\n",
  "\n",
  "\r\n",
  "\r",
  "\t",
  "\b",
  "\x07",
  "\x1b[31m",
  "\x1b[0m",
  "\x1b[2K",
  "\x1b[5;1H",
  "\x1b[A",
  "\x1b",
  "\x1b[3",
  "é",
  "漢字",
  "⠋ ",
  "⠙ ",
  "50%",
  "a",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
);
const some = fc.oneof(
  { weight: 6, arbitrary: fc.array(word, { maxLength: 12 }).map((words) => Buffer.from(words.join(""))) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
);

/** Chunks of one or several channels, with gaps. */
export function parts(channels: readonly Channel[], maxLength = 30): fc.Arbitrary<Part[]> {
  const data = fc.record({ channel: fc.constantFrom(...channels), bytes: some });
  const gap = fc.record({ gap: fc.integer({ min: 1, max: 200 }) });
  return fc.array(fc.oneof({ weight: 20, arbitrary: data }, { weight: 1, arbitrary: gap }), { maxLength });
}

export const anyParts = fc.oneof(parts(["pty"]), parts(["stdout", "stderr"]));

export function lengthOf(all: readonly Part[]): number {
  return all.reduce((sum, part) => sum + ("gap" in part ? part.gap : part.bytes.length), 0);
}

/** Writes an ended session with this output, in index records of at most `record` bytes. */
export function write({ layout }: StateDir, id: string, all: readonly Part[], record: number): void {
  const directory = join(layout.sessions, id);
  mkdirSync(directory, { mode: 0o700, recursive: true });
  const output = Buffer.alloc(lengthOf(all));
  const index: string[] = [];
  let at = 0;
  let kept = 0;
  for (const part of all) {
    if ("gap" in part) at += part.gap;
    else {
      output.set(part.bytes, at);
      for (let from = 0; from < part.bytes.length; from += record) {
        const length = Math.min(record, part.bytes.length - from);
        const timestamp = "2026-01-02T03:04:05.678Z";
        index.push(encodeIndexRecord({ offset: at + from, length, channel: part.channel, timestamp }));
      }
      at += part.bytes.length;
      kept = part.bytes.length > 0 ? at : kept;
    }
  }
  const isPipe = all.every((part) => "gap" in part || part.channel !== "pty");
  const meta = metaOf(id, isPipe ? { transport_mode: "pipe", size: null } : {});
  writeFileSync(join(directory, "meta.json"), JSON.stringify(meta), { mode: 0o600 });
  writeFileSync(join(directory, "final.json"), JSON.stringify(finalOf(id, { output_bytes: at })), { mode: 0o600 });
  writeFileSync(join(directory, "index.jsonl"), index.join(""), { mode: 0o600 });
  writeFileSync(join(directory, "output.bin"), output.subarray(0, kept), { mode: 0o600 });
}

interface Open {
  bytes: { cursor: number; byte: number }[];
  isCut: boolean;
}

/** Reference implementation: byte by byte from the beginning, everything in memory. */
export function naiveLines(all: readonly Part[], block: number, channel: Channel | null = null): TextLine[] {
  const open = new Map<Channel, Open>();
  const lines: TextLine[] = [];
  let at = 0;
  const close = (from: Channel, line: Open, end: number): void => {
    const [first] = line.bytes;
    if (first === undefined) return;
    const bytes = Uint8Array.from(line.bytes, ({ byte }) => byte);
    const texts = textOfRawLine(bytes);
    const isAlone =
      end - first.cursor === bytes.length && Math.floor(first.cursor / block) === Math.floor((end - 1) / block);
    let start = first.cursor;
    for (const [number, { text, end: length }] of texts.entries()) {
      const own = isAlone && number < texts.length - 1 ? first.cursor + length : end;
      const row = texts.length > 1 && !isAlone ? { row: number } : {};
      lines.push({ channel: from, start, end: own, text, ...row });
      if (isAlone) start = own;
    }
    line.bytes = [];
  };
  for (const part of all) {
    if ("gap" in part) {
      for (const [from, line] of open) close(from, line, at);
      at += part.gap;
      const last = lines.at(-1);
      // Adjacent gaps are one.
      if (last?.channel === null && last.end === at - part.gap) lines.pop();
      lines.push({ channel: null, start: at, end: at, text: `… output before cursor ${at} was not kept …` });
      for (const from of ["pty", "stdout", "stderr"] as const) open.set(from, { bytes: [], isCut: at % block !== 0 });
      continue;
    }
    for (const byte of part.bytes) {
      if (channel === null || channel === part.channel) {
        const line = open.get(part.channel) ?? { bytes: [], isCut: false };
        open.set(part.channel, line);
        line.bytes.push({ cursor: at, byte });
        if (byte === 10) {
          close(part.channel, line, at + 1);
          line.isCut = true;
        }
      }
      at++;
      if (at % block === 0) for (const [from, line] of open) endBlock(from, line);
    }
  }
  for (const [from, line] of open) close(from, line, (line.bytes.at(-1)?.cursor ?? 0) + 1);
  return lines.toSorted((a, b) => a.end - b.end || a.start - b.start);

  function endBlock(from: Channel, line: Open): void {
    if (!line.isCut) {
      const near = line.bytes.filter(({ cursor }) => cursor >= at - block);
      const spared = unfinishedLength(Uint8Array.from(near, ({ byte }) => byte));
      const kept = line.bytes.splice(line.bytes.length - spared);
      close(from, line, kept[0]?.cursor ?? at);
      line.bytes = kept;
    }
    line.isCut = false;
  }
}
