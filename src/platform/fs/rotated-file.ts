/**
 * A file of lines, shared by all processes of a user, that begins anew when it is full. Each line, or several at once, is one write to a file that
 * was opened for appending, so lines of different processes do not mix. Whoever finds the file full renames it under its
 * lock; the others notice when they find theirs full, and open the new one. Nothing here throws or waits: what a full disk does not take is kept, up to
 * a bound, for the next time.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { fileConstants } from "../native/constants.ts";
import { withPrivateUmask } from "./files.ts";
import { closeSync, openSync, renameSync, unlinkIfThere, writeSync } from "./libc-fs.ts";
import { tryLockExclusive } from "./lock.ts";
import { entryStat, fileStat, isSameFile, kindOf } from "./stat.ts";

export interface Rotation {
  maxBytes: number;
  /** Older files, `.1` to `.<keep>`. */
  keep: number;
}

/** The first of what was not taken are kept: they tell when it began. */
const MAX_UNTAKEN = 1024 * 1024;
const NEWLINE = 10;
const NOTHING = new Uint8Array(0);
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fileConstants;

/** The file is made with the first lines. */
export class RotatedFile implements Disposable {
  readonly #file: string;
  readonly #rotation: Rotation;
  #fd: number | null = null;
  /** A full disk cut our last line: the next one starts with a newline. */
  #isTorn = false;
  #untaken: Uint8Array = NOTHING;
  #isRefused = false;
  readonly #refused: (why: string) => void;

  /** `refused` is told once each time that it begins not to take what it is given. */
  constructor(file: string, rotation: Rotation, refused: (why: string) => void = () => {}) {
    this.#file = file;
    this.#rotation = rotation;
    this.#refused = refused;
  }

  /** Whole lines, with their newlines; bytes are lent. */
  append(lines: string | Uint8Array): void {
    const fresh = typeof lines === "string" ? bytesOf(lines) : lines;
    const all = this.#untaken.length === 0 ? fresh : joined([this.#untaken, fresh]);
    try {
      this.#fd ??= openForAppending(this.#file);
      if (fileStat(this.#fd).size >= this.#rotation.maxBytes) this.#fd = this.#renew(this.#fd);
      const bytes = this.#isTorn ? joined([Uint8Array.of(NEWLINE), all]) : all;
      const written = writeSync(this.#fd, bytes);
      const whole = bytes.subarray(0, written).lastIndexOf(NEWLINE) + 1;
      this.#isTorn = whole < written;
      this.#untaken = whole === bytes.length ? NOTHING : firstOf(bytes.subarray(whole));
      this.#isRefused = false;
    } catch (error) {
      this.#untaken = firstOf(all);
      // What cannot be told must not break what it would tell about.
      if (!this.#isRefused) this.#refused(String(error));
      this.#isRefused = true;
    }
  }

  [Symbol.dispose](): void {
    if (this.#untaken.length > 0) this.append(NOTHING);
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** The file to write to now: a new one, or still the full one while somebody else is renaming it. */
  #renew(full: number): number {
    if (!tryLockExclusive(full)) return full;
    if (isAt(full, this.#file)) this.#rotate();
    const fresh = openForAppending(this.#file);
    closeSync(full);
    return fresh;
  }

  /** The current file goes last: until then nobody can have begun, and filled, its successor. */
  #rotate(): void {
    for (let age = this.#rotation.keep; age > 0; age--) {
      const younger = age === 1 ? this.#file : `${this.#file}.${age - 1}`;
      try {
        renameSync(younger, `${this.#file}.${age}`);
      } catch {
        // There are not that many yet.
      }
    }
    if (this.#rotation.keep === 0) unlinkIfThere(this.#file);
  }
}

/** Its first lines, as many as are kept. */
function firstOf(lines: Uint8Array): Uint8Array {
  return lines.slice(0, lines.length > MAX_UNTAKEN ? lines.lastIndexOf(NEWLINE, MAX_UNTAKEN) + 1 : lines.length);
}

function openForAppending(file: string): number {
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const fd = withPrivateUmask(() => openSync(file, flags, 0o600));
  if (kindOf(fileStat(fd)) === "file") return fd;
  closeSync(fd);
  throw new Error(`${file} is not a regular file`);
}

function isAt(fd: number, path: string): boolean {
  return isSameFile(fileStat(fd), entryStat(path));
}
