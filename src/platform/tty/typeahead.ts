/**
 * What was typed into a terminal that gathered lines, as the keys that were pressed: for a terminal that somebody types at already, and
 * that may gather none. It stays in the terminal until it is asked for: whoever has no use for it has taken nothing from who comes next.
 *
 * A gathered line is no longer what was typed: Enter is a newline in it, and the key that ends the input a mark, which reads as a NUL once
 * there are no lines. Read line by line, that key could not be told from what a shell's line editor left unread, which comes as a line
 * without an end, too.
 */
import { libc } from "../native/libc.ts";
import { POLLIN, pollNow } from "../native/poller.ts";
import { lineMode, readableBytes, type LineMode, type Termios } from "./terminal-device.ts";

const NUL = 0;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Makes `fd` raw, which is as `termios` says until then, and takes what was typed before when it is asked to; null when it cannot be made so. */
export function deferTypedKeys(fd: number, termios: Termios, makeRaw: () => boolean): (() => Uint8Array) | null {
  const mode = lineMode(termios);
  const inLines = mode.isCanonical ? waiting(fd) : 0;
  if (!makeRaw()) return null;
  const length = waiting(fd); // what is typed from now on is as it should be
  return () => restoreTypedKeys(readExactly(fd, length), inLines, mode);
}

function readExactly(fd: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length && waiting(fd) > 0) {
    const count = Number(libc().read(fd, bytes.subarray(at), BigInt(length - at)));
    if (count <= 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

/** `inLines`: how many of them could be read while there were lines. A mark could not, but let its line be read; a NUL that was typed is a byte. */
export function restoreTypedKeys(
  bytes: Uint8Array,
  inLines: number,
  { endOfFile, returnIsNewline }: LineMode,
): Uint8Array {
  const ended = Math.max(bytes.lastIndexOf(NUL), bytes.lastIndexOf(NEWLINE)) + 1;
  const areMarks = ended - bytes.filter((byte) => byte === NUL).length === inLines;
  return bytes.map((byte) => {
    if (byte === NUL) return areMarks ? endOfFile : byte;
    return byte === NEWLINE && returnIsNewline ? RETURN : byte;
  });
}

/** poll(2) waits for what is on its way inside the kernel. */
function waiting(fd: number): number {
  return (pollNow(fd, POLLIN) & POLLIN) === 0 ? 0 : readableBytes(fd);
}
