/**
 * Terminal devices: settings, size, foreground group. Bun sets raw mode but cannot read the
 * settings.
 */
import type { TerminalSize } from "../../protocol/types/session.ts";
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { closeQuietly } from "../fs/descriptors.ts";
import { openSync } from "../fs/libc-fs.ts";
import { checked, libc, lastErrno, SystemError } from "../native/libc.ts";
import { textOf } from "../../protocol/types/bytes.ts";

const DARWIN = process.platform === "darwin";
const TIOCGWINSZ = DARWIN ? 0x40087468n : 0x5413n;
const TIOCSWINSZ = DARWIN ? 0x80087467n : 0x5414n;
const FIONREAD = DARWIN ? 0x4004667fn : 0x541bn;
const TERMIOS_BYTES = 128;
const ICRNL = 0x100;
const IGNCR_ICRNL = 0x180;
const TCSADRAIN = 1;
const TCSANOW = 0;

/** The raw bytes of a struct termios. */
export type Termios = Uint8Array;

/** isatty(3). Loading node:tty for it would cost 2 ms. */
export function isTerminal(fd: number): boolean {
  try {
    return libc().tcgetattr(fd, new Uint8Array(TERMIOS_BYTES)) === 0;
  } catch {
    return false; // libc cannot be loaded: reported by another call
  }
}

export function getTermios(fd: number): Termios {
  const termios = new Uint8Array(TERMIOS_BYTES);
  checked(libc().tcgetattr(fd, termios), "tcgetattr");
  return termios;
}

/**
 * "drain" waits until earlier output is written, so that it is processed under the old settings.
 */
export function setTermios(fd: number, termios: Termios, when: "now" | "drain"): void {
  while (libc().tcsetattr(fd, when === "now" ? TCSANOW : TCSADRAIN, termios) !== 0) {
    const errno = lastErrno();
    if (errno !== "EINTR") throw new SystemError("tcsetattr", errno);
  }
}

/**
 * Like cfmakeraw(3), with VMIN 1. Output processing is off too: the command's bytes pass unchanged.
 */
export function rawTermios(from: Termios): Termios {
  const raw = from.slice();
  const view = new DataView(raw.buffer);
  const [word, controls, vmin, vtime] = DARWIN ? [8, 32, 16, 17] : [4, 17, 6, 5];
  const flags = (index: number): number => view.getUint32(index * word, true);
  const set = (index: number, value: number): void => view.setUint32(index * word, value >>> 0, true);
  // Input: IGNBRK BRKINT PARMRK ISTRIP INLCR IGNCR ICRNL IXON; output: OPOST; local: ECHO ECHONL
  // ICANON ISIG IEXTEN.
  set(0, flags(0) & ~(DARWIN ? 0x3eb : 0x5eb));
  set(1, flags(1) & ~1);
  set(2, (flags(2) & ~(DARWIN ? 0x1300 : 0x130)) | (DARWIN ? 0x300 : 0x30));
  set(3, flags(3) & ~(DARWIN ? 0x598 : 0x804b));
  raw[controls + vmin] = 1;
  raw[controls + vtime] = 0;
  return raw;
}

/** The same settings without echo. */
export function withoutEcho(from: Termios): Termios {
  const silent = from.slice();
  const [lflag, echo] = DARWIN ? [24, 0x18] : [12, 0x48]; // ECHO and ECHONL
  const view = new DataView(silent.buffer);
  view.setUint32(lflag, view.getUint32(lflag, true) & ~echo, true);
  return silent;
}

/** Without echo, signal keys and flow control keys. */
export function quietTermios(from: Termios): Termios {
  const quiet = withoutEcho(from);
  const view = new DataView(quiet.buffer);
  const [lflag, isig, ixon] = DARWIN ? [24, 0x80, 0x200] : [12, 0x1, 0x400];
  view.setUint32(lflag, view.getUint32(lflag, true) & ~isig, true);
  view.setUint32(0, view.getUint32(0, true) & ~ixon, true);
  return quiet;
}

export interface LineMode {
  /** ICANON: input is read line by line. */
  isCanonical: boolean;
  /** ECHO: typed keys are shown. */
  echoes: boolean;
  /** The end-of-file key's byte. */
  endOfFile: number;
  /** ICRNL: Enter is read as a newline. */
  returnIsNewline: boolean;
  /** The interrupt, quit and suspend keys; -1 for a disabled one. */
  signalKeys: readonly [number, number, number];
}

export function lineMode(termios: Termios): LineMode {
  const [lflag, icanon, veof, isig] = DARWIN ? [24, 0x100, 32, 0x80] : [12, 0x2, 17 + 4, 0x1];
  const view = new DataView(termios.buffer, termios.byteOffset);
  const flags = view.getUint32(lflag, true);
  const input = view.getUint32(0, true);
  const key = (at: number): number => {
    const byte = termios[at] ?? 0;
    return (flags & isig) === 0 || byte === 0 || byte === 255 ? -1 : byte;
  };
  const [vintr, vquit, vsusp] = DARWIN ? [40, 41, 42] : [17, 18, 27];
  return {
    isCanonical: (flags & icanon) !== 0,
    echoes: (flags & 0x8) !== 0,
    endOfFile: termios[veof] ?? 4,
    returnIsNewline: (input & IGNCR_ICRNL) === ICRNL,
    signalKeys: [key(vintr), key(vquit), key(vsusp)],
  };
}

/**
 * Canonical mode without echo, as for a password. Editors and line editors, which draw themselves,
 * are not canonical.
 */
export function readsLineWithoutEcho(slave: number): boolean {
  const { isCanonical, echoes } = lineMode(getTermios(slave));
  return isCanonical && !echoes;
}

export function getSize(fd: number): TerminalSize {
  const size = new Uint16Array(4);
  checked(libc().ioctl(fd, TIOCGWINSZ, size), "ioctl TIOCGWINSZ");
  return { rows: size[0] ?? 0, cols: size[1] ?? 0, width: size[2] ?? 0, height: size[3] ?? 0 };
}

export function setSize(fd: number, { rows, cols, width, height }: TerminalSize): void {
  checked(libc().ioctl(fd, TIOCSWINSZ, new Uint16Array([rows, cols, width, height])), "ioctl TIOCSWINSZ");
}

/** Bytes readable now. Unlike poll(2) it does not wait for input on its way inside the kernel. */
export function readableBytes(fd: number): number {
  readable[0] = 0;
  libc().ioctl(fd, FIONREAD, readable);
  return readable[0];
}
const readable = new Int32Array(1);

/** The process group that gets the terminal's keys; -1 when there is none. */
export function foregroundGroup(fd: number): number {
  return libc().tcgetpgrp(fd);
}

/**
 * True when our process group is in the foreground. True for a terminal that does not control our
 * session (-1): it has no background.
 */
export function inForeground(fd: number): boolean {
  const group = foregroundGroup(fd);
  return group === -1 || group === libc().getpgrp();
}

/** Both ends of a new pseudo-terminal, not inherited by children, not our controlling terminal. */
export function openPseudoTerminal(): { master: number; slave: number; path: string } {
  const O_RDWR_NOCTTY = fileConstants.O_RDWR | fileConstants.O_NOCTTY;
  const master = checked(libc().posix_openpt(O_RDWR_NOCTTY | (DARWIN ? 0 : O_CLOEXEC)), "posix_openpt");
  try {
    checked(libc().unlockpt(master), "unlockpt");
    const name = new Uint8Array(128);
    if (libc().ptsname_r(master, name, BigInt(name.length)) !== 0) throw new SystemError("ptsname_r", "ENOTTY");
    const path = textOf(name.subarray(0, name.indexOf(0)));
    return { master, slave: openSync(path, O_RDWR_NOCTTY), path };
  } catch (error) {
    closeQuietly(master);
    throw error;
  }
}
