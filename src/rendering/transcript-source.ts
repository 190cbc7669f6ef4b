/** Reads the terminal's output from a transcript for the renderer, skipping other channels. */
import { joined } from "../protocol/types/bytes.ts";
import type { Channel } from "../protocol/types/session.ts";
import type { TranscriptReader } from "../transcript/read/reader.ts";
import type { ScreenSource } from "./renderer.ts";

interface Piece {
  channel: Channel;
  offset: number;
  bytes: Uint8Array;
}

/** Reads from the session's files. */
export function transcriptSource(reader: TranscriptReader): ScreenSource {
  return terminalSource((cursor, maxBytes) => reader.read({ cursor, maxBytes }).chunks);
}

/** Reads through `read`, which returns pieces at or after a cursor. */
export function terminalSource(read: (cursor: number, maxBytes: number) => readonly Piece[]): ScreenSource {
  return {
    next(cursor, maxBytes) {
      for (let at = cursor; ; ) {
        const pieces = read(at, maxBytes);
        const run = firstRun(pieces);
        if (run !== null) return run;
        const last = pieces.at(-1);
        if (last === undefined) return null;
        at = last.offset + last.bytes.length; // all other channels
      }
    },
  };
}

/** The first bytes of channel `pty`, with all that follow without a gap. */
function firstRun(pieces: readonly Piece[]): { cursor: number; bytes: Uint8Array } | null {
  const first = pieces.findIndex(({ channel }) => channel === "pty");
  const start = pieces[first];
  if (start === undefined) return null;
  const run: Uint8Array[] = [];
  let end = start.offset;
  for (const { channel, offset, bytes } of pieces.slice(first)) {
    if (channel !== "pty" || offset !== end) break;
    run.push(bytes);
    end += bytes.length;
  }
  return { cursor: start.offset, bytes: joinedRun(run) };
}

/** Pieces of one read lie side by side in one buffer: no copy. */
function joinedRun(run: readonly Uint8Array[]): Uint8Array {
  const [first] = run;
  if (first === undefined) return new Uint8Array(0);
  let end = first.byteOffset;
  for (const { buffer, byteOffset, byteLength } of run) {
    if (buffer !== first.buffer || byteOffset !== end) return joined(run);
    end += byteLength;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}
