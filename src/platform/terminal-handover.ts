/** What was typed into a terminal that goes away, and nobody read, goes to the next one. */
import { joined } from "../protocol/bytes.ts";
import { libc } from "./libc.ts";
import { POLLIN, pollNow } from "./poller.ts";
import { getTermios, rawTermios, setTermios } from "./terminal-device.ts";

const TIOCSTI = process.platform === "darwin" ? 0x80017472n : 0x5412n;

/** Takes what is in its input out of it. */
export function takeUnread(fd: number): Uint8Array {
  const termios = getTermios(fd);
  setTermios(fd, rawTermios(termios), "now"); // also the beginning of a line can be read then
  try {
    return readAll(fd);
  } finally {
    setTermios(fd, termios, "now");
  }
}

function readAll(fd: number): Uint8Array {
  const parts: Uint8Array[] = [];
  const buffer = new Uint8Array(4096);
  while ((pollNow(fd, POLLIN) & POLLIN) !== 0) {
    const length = Number(libc().read(fd, buffer, buffer.length));
    if (length <= 0) break;
    parts.push(buffer.slice(0, length));
  }
  return joined(parts);
}

/**
 * As if it were typed now. Linux allows that to whoever it belongs to only where dev.tty.legacy_tiocsti is 1 (as it was everywhere
 * until 6.2), and to root; elsewhere it is lost, and this is false.
 */
export function typeBack(fd: number, bytes: Uint8Array): boolean {
  for (const byte of bytes) if (libc().ioctl(fd, TIOCSTI, Uint8Array.of(byte)) !== 0) return false;
  return true;
}
