/**
 * Moves unread input from a session's terminal to the user's terminal, with TIOCSTI.
 *
 * The user's shell executes the input, so it must arrive exactly as typed or not at all. Input
 * already waiting in the user's terminal is newer: it is taken out and injected again after the
 * rest. The kernel silently drops what does not fit, so the size is checked before the first byte.
 */
import { joined } from "../../protocol/types/bytes.ts";
import { signalSafe } from "../native/eintr.ts";
import { readFileSync } from "../fs/libc-fs.ts";
import { libc } from "../native/libc.ts";
import { POLLIN, pollNow } from "../native/poller.ts";
import { getTermios, lineMode, quietTermios, rawTermios, setTermios, type Termios } from "./terminal-device.ts";

const DARWIN = process.platform === "darwin";
const TIOCSTI = DARWIN ? 0x80017472n : 0x5412n;
const FIONREAD = DARWIN ? 0x4004667fn : 0x541bn;
/** The size of the kernel's input buffer of a terminal. */
const MAX_INPUT_BYTES = 4095;
const NEWLINE = 10;
const RETURN = 13;

/** Reads and removes all input. `fd` must be non-blocking: a leftover process may read as well. */
export function takeUnread(fd: number): Uint8Array {
  const termios = getTermios(fd);
  // As reading frees room, the kernel moves in input that waits behind the full buffer. Under the
  // old settings its echo would become output, and its signal keys would not arrive as bytes.
  setTermios(fd, quietTermios(termios), "now");
  const lines = readLines(fd, termios);
  setTermios(fd, rawTermios(termios), "now"); // an unfinished line is readable only in raw mode
  try {
    return joined([...lines, ...readAll(fd)]);
  } finally {
    setTermios(fd, termios, "now");
  }
}

/**
 * Puts `bytes` before all input that waits in `fd`. The caller has made the terminal raw, and sets
 * `termios` for the shell after this call. False when the input might not fit, or TIOCSTI is not
 * allowed: nothing is injected. Also false when TIOCSTI fails all the same, as after a hang-up:
 * then the bytes before the failure were injected, and the rest is lost.
 */
export function pushBackInput(fd: number, bytes: Uint8Array, termios: Termios): boolean {
  if (bytes.length === 0) return true;
  if (bytes.length + waitingBytes(fd) > MAX_INPUT_BYTES || !canInject()) {
    if (bytes.at(-1) !== NEWLINE) dropRestOfLine(fd);
    return false;
  }
  const all = joined([bytes, ...readAll(fd)]);
  // Canonical mode as in `termios`. No echo: it was shown when typed. No signal keys: they stay
  // bytes.
  setTermios(fd, quietTermios(termios), "now");
  const { ioctl } = libc();
  const byte = new Uint8Array(1);
  for (const next of all) {
    byte[0] = next;
    if (ioctl(fd, TIOCSTI, byte) !== 0) return false;
  }
  return true;
}

/** The beginning of the line is lost: the shell must not execute the rest of it. */
function dropRestOfLine(fd: number): void {
  const byte = new Uint8Array(1);
  while (waitingBytes(fd) > 0 && libc().read(fd, byte, 1) === 1 && byte[0] !== NEWLINE && byte[0] !== RETURN);
}

/**
 * Reads line by line while lines remain. The kernel stores the end-of-file key as a mark: in raw
 * mode that is read as a NUL, in canonical mode it ends a line and is not returned. So a line that
 * ends without a newline gets the key's byte again: injected, it is the same mark.
 */
function readLines(fd: number, termios: Termios): Uint8Array[] {
  const { isCanonical, endOfFile } = lineMode(termios);
  const lines: Uint8Array[] = [];
  if (!isCanonical) return lines;
  for (let line = readOnce(fd); line !== null; line = readOnce(fd)) {
    lines.push(line);
    if (line.at(-1) !== NEWLINE) lines.push(Uint8Array.of(endOfFile));
  }
  return lines;
}

function readAll(fd: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let part = readOnce(fd); part !== null && part.length > 0; part = readOnce(fd)) parts.push(part);
  return parts;
}

/** Null when no input is available. */
function readOnce(fd: number): Uint8Array | null {
  if ((pollNow(fd, POLLIN) & POLLIN) === 0) return null;
  const buffer = new Uint8Array(4096);
  const length = signalSafe(() => Number(libc().read(fd, buffer, buffer.length)));
  return length < 0 ? null : buffer.subarray(0, length);
}

/** A full buffer if the count is unknown, so that nothing is injected. */
function waitingBytes(fd: number): number {
  const count = new Int32Array(1);
  return libc().ioctl(fd, FIONREAD, count) === 0 ? (count[0] ?? 0) : MAX_INPUT_BYTES;
}

/**
 * Since Linux 6.2, TIOCSTI is reserved for root unless the setting dev.tty.legacy_tiocsti is 1.
 * Older kernels have no such file, and allow it.
 */
function canInject(): boolean {
  if (process.platform !== "linux" || process.getuid?.() === 0) return true;
  try {
    return readFileSync("/proc/sys/dev/tty/legacy_tiocsti")[0] === 0x31;
  } catch {
    return true;
  }
}
