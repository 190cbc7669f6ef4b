/** Reads bytes from a file at a position. */
import { readSync } from "../../platform/fs/libc-fs.ts";
import { fileStat } from "../../platform/fs/stat.ts";

/** Fills the buffer from `position`; returns fewer bytes only at the end of the file. */
export function readAt(fd: number, buffer: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(fd, buffer.subarray(filled), position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

/** The current content of the file, up to `maxBytes`. */
export function readStart(fd: number, maxBytes: number): Uint8Array {
  const buffer = new Uint8Array(Math.min(fileStat(fd).size, maxBytes));
  return buffer.subarray(0, readAt(fd, buffer, 0));
}
