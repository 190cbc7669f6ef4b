import { joined } from "../protocol/bytes.ts";
import { ViewerFilter } from "../terminal/viewer-filter.ts";
import type { LiveSource } from "./live-source.ts";

const NEWLINE = 10;

/** The last bytes of the transcript, from the beginning of a line on, as a viewer may see them. */
export function rawReplay(source: LiveSource, maxBytes: number): { cursor: number; replay: Uint8Array } {
  const end = source.produced;
  const from = Math.max(0, end - maxBytes);
  const run: Uint8Array[] = [];
  let cursor = from;
  while (cursor < end) {
    const pieces = source.pieces(cursor).filter(({ offset }) => offset < end);
    const last = pieces.at(-1);
    if (last === undefined) break;
    cursor = last.offset + last.bytes.length;
    run.push(...pieces.filter(({ channel }) => channel === "pty").map(({ bytes }) => bytes));
  }
  const bytes = joined(run);
  // In the middle of a sequence nobody could tell text from command; without a line there is nowhere to begin.
  const newline = bytes.indexOf(NEWLINE);
  const start = from === 0 ? 0 : newline < 0 ? bytes.length : newline + 1;
  return { cursor, replay: new ViewerFilter({ clipboard: false }).push(bytes.subarray(start)) };
}
