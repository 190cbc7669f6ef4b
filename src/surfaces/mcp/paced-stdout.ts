import { Writable } from "node:stream";

/**
 * stdout as a stream that tells how much it holds and when all of it has gone. In Bun 1.4 `process.stdout` on a pipe knows
 * neither: writableNeedDrain is always false, and a write's callback does not wait for the reader.
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

/** False when the reader has not taken everything in time. */
export function endBefore(ms: number, output: Writable): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    output.end(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
