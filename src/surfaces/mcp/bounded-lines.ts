import { once } from "node:events";
import type { Writable } from "node:stream";

/** Far more than any request of ours needs. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

export interface LineOptions {
  /** While it is not being read, no further line is given out: answers pile up nowhere. */
  answersTo: Writable;
  onTooLong: () => void;
}

/**
 * The input's lines, each with its newline. One that is too long is left out and the rest goes on; the SDK's transport
 * would close the connection over it. What follows the last newline is no message.
 */
export async function* boundedLines(
  input: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<Buffer, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end + 1));
      length += end + 1 - start;
      if (length > MAX_LINE_BYTES) options.onTooLong();
      else {
        yield Buffer.concat(parts);
        await answered(options.answersTo);
      }
      parts = [];
      length = 0;
      start = end + 1;
    }
    length += chunk.length - start;
    if (length > MAX_LINE_BYTES) parts = [];
    else parts.push(chunk.subarray(start));
  }
}

/** Gives a call that does not wait for anything the turn it needs to write its answer, and the answer the time to go. */
async function answered(output: Writable): Promise<void> {
  await new Promise(setImmediate);
  if (output.writableNeedDrain) await once(output, "drain");
}
