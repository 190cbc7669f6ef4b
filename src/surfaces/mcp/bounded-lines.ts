import { once } from "node:events";
import type { Writable } from "node:stream";
import { LongLine } from "./long-line.ts";

/** Far more than any request of ours needs. */
export const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export interface LineOptions {
  /** While it is not being read, no further line is given out: answers pile up nowhere. */
  answersTo: Writable;
  onTooLong: (line: LongLine) => void;
}

/**
 * The input's lines, each with its newline. One that is too long is told of and left out, and the rest goes on; the SDK's
 * transport would close the connection over it. A last line that lacks its newline is one all the same: cut short, it is no JSON.
 */
export async function* boundedLines(
  input: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<Buffer, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let long: LongLine | null = null;
  const keep = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
    if (length <= MAX_LINE_BYTES) return;
    long ??= new LongLine();
    for (const kept of parts) long.feed(kept);
    parts = [];
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end + 1));
      if (long !== null) options.onTooLong(long);
      else yield Buffer.concat(parts);
      await answerWritten(options.answersTo);
      parts = [];
      length = 0;
      long = null;
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (long === null && length > 0) yield Buffer.concat([...parts, Uint8Array.of(NEWLINE)]);
}

/** Gives a call that does not wait for anything the turn it needs to write its answer, and the answer the time to go. */
async function answerWritten(output: Writable): Promise<void> {
  await new Promise(setImmediate);
  if (output.writableNeedDrain) await once(output, "drain");
}
