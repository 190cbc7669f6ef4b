/** Splits the input of the MCP server into lines of bounded length. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { LongLine } from "./long-line.ts";

/** No request of ours needs nearly as much. */
export const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export interface LineOptions {
  /** Lines are held back while this stream needs to drain, so that answers do not accumulate. */
  answersTo: Writable;
  onTooLong: (line: LongLine) => void;
}

/**
 * Yields the input's lines, each with its newline. A line that is too long is reported and skipped;
 * the SDK's transport would close the connection over it. A last line without its newline is
 * yielded too; when it was cut short, it is not valid JSON.
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

/** Waits until a synchronous call has written its answer, and the answer has drained. */
async function answerWritten(output: Writable): Promise<void> {
  await new Promise(setImmediate);
  if (output.writableNeedDrain) await once(output, "drain");
}
