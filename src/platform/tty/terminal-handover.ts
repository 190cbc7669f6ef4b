/**
 * What was typed into a terminal that goes away, and nobody read, goes to the next one: TIOCSTI, typing in the person's place.
 *
 * The person's shell executes what arrives, so it must arrive as it was typed or not at all. What waits in their terminal already is
 * newer, and is taken out and typed again behind the rest; and as the kernel drops what does not fit without a word, nothing is typed that
 * might not fit.
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
/** What the kernel keeps of a terminal's input. */
const INPUT_BYTES = 4095;
const NEWLINE = 10;
const RETURN = 13;

/** Takes what is in its input out of it. `fd` must not block: something left behind may read as well. */
export function takeUnread(fd: number): Uint8Array {
  const termios = getTermios(fd);
  setTermios(fd, quietTermios(termios), "now"); // as it is read, more of it may come in, which is not to be shown
  const lines = readLines(fd, termios);
  setTermios(fd, rawTermios(termios), "now"); // the beginning of a line can be read then
  try {
    return joined([...lines, ...readAll(fd)]);
  } finally {
    setTermios(fd, termios, "now");
  }
}

/** Types it in front of all that waits in `fd`, which is raw now and will be set as `termios` next. False when it could not. */
export function pushBackInput(fd: number, bytes: Uint8Array, termios: Termios): boolean {
  if (bytes.length === 0) return true;
  if (bytes.length + waiting(fd) > INPUT_BYTES || !mayType()) {
    if (bytes.at(-1) !== NEWLINE) dropRestOfLine(fd);
    return false;
  }
  const all = joined([bytes, ...readAll(fd)]);
  // In lines, where theirs has lines; not shown, for it was when it was typed; and a key that is a signal stays a byte.
  setTermios(fd, quietTermios(termios), "now");
  const { ioctl } = libc();
  const byte = new Uint8Array(1);
  for (const next of all) {
    byte[0] = next;
    if (ioctl(fd, TIOCSTI, byte) !== 0) return false;
  }
  return true;
}

/** The beginning of it is lost: what is left must not pass for a line. */
function dropRestOfLine(fd: number): void {
  const byte = new Uint8Array(1);
  while (waiting(fd) > 0 && libc().read(fd, byte, 1) === 1 && byte[0] !== NEWLINE && byte[0] !== RETURN);
}

/** Line by line, as long as there are any: otherwise an end of file could not be told from a NUL. */
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

/** Null when there is nothing now. */
function readOnce(fd: number): Uint8Array | null {
  if ((pollNow(fd, POLLIN) & POLLIN) === 0) return null;
  const buffer = new Uint8Array(4096);
  const length = signalSafe(() => Number(libc().read(fd, buffer, buffer.length)));
  return length < 0 ? null : buffer.subarray(0, length);
}

function waiting(fd: number): number {
  const count = new Int32Array(1);
  return libc().ioctl(fd, FIONREAD, count) === 0 ? (count[0] ?? 0) : INPUT_BYTES;
}

/** Root may, and everyone where dev.tty.legacy_tiocsti is 1, as it was until Linux 6.2, which has no such setting. */
function mayType(): boolean {
  if (process.platform !== "linux" || process.getuid?.() === 0) return true;
  try {
    return readFileSync("/proc/sys/dev/tty/legacy_tiocsti")[0] === 0x31;
  } catch {
    return true;
  }
}
