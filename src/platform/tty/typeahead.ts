/**
 * Restores the keys typed ahead in canonical (line) mode, for a session that is already running and
 * may not read lines. The input stays in the terminal until it is used, so unused input is left for
 * the next program.
 *
 * Canonical mode changes what was typed: Enter is stored as a newline, and the end-of-file key as a
 * mark, which reads as NUL in raw mode. Read line by line, the mark would look like an unfinished
 * line that a shell's line editor left unread.
 */
import { libc } from "../native/libc.ts";
import { POLLIN, pollNow } from "../native/poller.ts";
import { lineMode, readableBytes, type LineMode, type Termios } from "./terminal-device.ts";

const NUL = 0;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Makes `fd` raw; `termios` are its settings before. Returns a function that takes the keys typed
 * until now; null when `makeRaw` fails.
 */
export function deferTypedKeys(fd: number, termios: Termios, makeRaw: () => boolean): (() => Uint8Array) | null {
  const mode = lineMode(termios);
  const lineModeLength = mode.isCanonical ? waitingBytes(fd) : 0;
  if (!makeRaw()) return null;
  const length = waitingBytes(fd); // keys typed from now on arrive unchanged
  return () => restoreTypedKeys(readExactly(fd, length), lineModeLength, mode);
}

function readExactly(fd: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length && waitingBytes(fd) > 0) {
    const count = Number(libc().read(fd, bytes.subarray(at), BigInt(length - at)));
    if (count <= 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

/**
 * `lineModeLength`: the bytes that were readable in canonical mode. It does not count end-of-file
 * marks, but counts typed NULs, which tells the two apart.
 */
export function restoreTypedKeys(
  bytes: Uint8Array,
  lineModeLength: number,
  { endOfFile, returnIsNewline }: LineMode,
): Uint8Array {
  const ended = Math.max(bytes.lastIndexOf(NUL), bytes.lastIndexOf(NEWLINE)) + 1;
  const areMarks = ended - bytes.filter((byte) => byte === NUL).length === lineModeLength;
  return bytes.map((byte) => {
    if (byte === NUL) return areMarks ? endOfFile : byte;
    return byte === NEWLINE && returnIsNewline ? RETURN : byte;
  });
}

/** poll(2) first: unlike FIONREAD it waits for input still on its way inside the kernel. */
function waitingBytes(fd: number): number {
  return (pollNow(fd, POLLIN) & POLLIN) === 0 ? 0 : readableBytes(fd);
}
