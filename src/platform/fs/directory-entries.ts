/** Lists an open directory, with names as raw bytes. */
import { type Pointer, read, toArrayBuffer } from "bun:ffi";
import { cstring, lastErrno, libc, SystemError } from "../native/libc.ts";

/** Offsets in Linux's struct dirent: d_ino, d_off, d_reclen, d_type, d_name. */
const RECORD_LENGTH_AT = 16;
const NAME_AT = 19;
const DOTS = new Set([".", ".."]);

export function namesIn(directory: number): Uint8Array[] {
  // Reopens the same directory from its start, even if its name now leads elsewhere.
  const stream = libc().opendir(cstring(`/proc/self/fd/${directory}`));
  if (stream === null) throw new SystemError("opendir", lastErrno());
  try {
    const names: Uint8Array[] = [];
    for (let entry = libc().readdir(stream); entry !== null; entry = libc().readdir(stream)) {
      const name = nameOf(entry as Pointer);
      if (!DOTS.has(String.fromCharCode(...name.subarray(0, 3)))) names.push(name);
    }
    return names;
  } finally {
    libc().closedir(stream);
  }
}

function nameOf(entry: Pointer): Uint8Array {
  const room = read.u16(entry, RECORD_LENGTH_AT) - NAME_AT;
  const bytes = new Uint8Array(toArrayBuffer(entry, NAME_AT, room));
  return bytes.slice(0, bytes.indexOf(0));
}
