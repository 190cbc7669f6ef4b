/** A page of what matches, and of what stands around it. */
import type { Channel } from "../../protocol/session.ts";
import { grep, type GrepLine } from "../../rendering/grep.ts";
import { RawLines } from "../../rendering/raw-lines.ts";
import { TextLines } from "../../rendering/text-lines.ts";
import { LinePattern, type Sought } from "../../terminal/line-pattern.ts";
import type { TranscriptReader } from "../../transcript/reader.ts";
import type { Breath } from "./page.ts";

export interface GrepOptions {
  sought: Sought;
  before: number;
  after: number;
  channel: Channel | null;
  /** Of the transcript, as it is looked at. */
  end: number;
  /** What matches ends in (from, to]; what stands around it, in (widest.from, widest.to]. */
  from: number;
  to: number;
  widest: { from: number; to: number };
  maxMatches: number;
  /** Of text. */
  maxBytes: number;
}

export interface Grepped {
  found: GrepLine[];
  /** What ends past it was not looked at, or not told; null where everything was. */
  left: number | null;
}

export async function grepPage(reader: TranscriptReader, options: GrepOptions, breath: Breath): Promise<Grepped> {
  const { sought, before, after, channel, end, from, to, widest, maxMatches, maxBytes } = options;
  const source = { source: reader, channel, end };
  const hasOneChannel = channel === null && reader.hasOneChannel();
  const scan = {
    lines: new RawLines(source),
    hasOneChannel,
    rawBytes: (into: Uint8Array, position: number) => reader.rawBytes(into, position),
  };
  const pattern = new LinePattern(sought);
  const found: GrepLine[] = [];
  let matches = 0;
  let bytes = 0;
  for (const part of grep({ pattern, from, to, widest, before, after, lines: new TextLines(source), scan })) {
    for (const line of part.found) {
      const last = found.at(-1);
      const isTied = last?.end === line.end;
      bytes += Buffer.byteLength(line.text) + 1;
      const isFull = (matches >= maxMatches && line.role !== "after") || (bytes > maxBytes && last !== undefined);
      if (isFull && !isTied) return { found, left: last?.end ?? from };
      if (line.role === "match") matches++;
      found.push(line);
    }
    await breath();
  }
  return { found, left: null };
}
