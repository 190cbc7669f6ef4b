/** stdout as a stream with working backpressure. */
import { Writable } from "node:stream";

/**
 * In Bun 1.4 `process.stdout` on a pipe has no backpressure: writableNeedDrain is always false, and
 * the callback of a write does not wait for the reader. This stream has both.
 */
export function pacedStdout(): Writable {
  const sink = Bun.stdout.writer();
  const send = async (chunk: Uint8Array): Promise<void> => {
    await sink.write(chunk);
    await sink.flush();
  };
  return new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      send(chunk).then(() => done(), done);
    },
  });
}

/** Ends the stream; false when the reader has not read everything in time. */
export function endBefore(ms: number, output: Writable): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    output.end(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
