/**
 * A log file shared by all processes of a user, rotated when full. Nothing here throws or waits.
 *
 * Lines are appended with one write each (O_APPEND), so lines of different processes do not mix.
 * The process that finds the file full renames it under its lock; the others find theirs full too,
 * and open the new one. Lines that a full disk does not take are kept, up to a bound, for the next
 * write.
 */
import { bytesOf, joined } from "../../protocol/types/bytes.ts";
import { fileConstants } from "../native/constants.ts";
import { withPrivateUmask } from "./files.ts";
import { closeSync, openSync, renameSync, unlinkIfThere, writeSync } from "./libc-fs.ts";
import { tryLockExclusive } from "./lock.ts";
import { entryStat, fileStat, isSameFile, kindOf } from "./stat.ts";

export interface Rotation {
  maxBytes: number;
  /** The number of older files, `.1` to `.<keep>`. */
  keep: number;
}

/** The first unwritten lines are kept: they show when writing began to fail. */
const MAX_UNWRITTEN = 1024 * 1024;
const NEWLINE = 10;
const NOTHING = new Uint8Array(0);
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fileConstants;

/** The file is created with the first lines. */
export class RotatedFile implements Disposable {
  readonly #file: string;
  readonly #rotation: Rotation;
  #fd: number | null = null;
  /** A full disk cut our last line: the next one starts with a newline. */
  #isTorn = false;
  #unwritten: Uint8Array = NOTHING;
  #isFailing = false;
  readonly #failed: (why: string) => void;

  /** `failed` is called once each time that writing begins to fail. */
  constructor(file: string, rotation: Rotation, failed: (why: string) => void = () => {}) {
    this.#file = file;
    this.#rotation = rotation;
    this.#failed = failed;
  }

  /** Appends whole lines with their newlines. Does not keep `lines`. */
  append(lines: string | Uint8Array): void {
    const fresh = typeof lines === "string" ? bytesOf(lines) : lines;
    const all = this.#unwritten.length === 0 ? fresh : joined([this.#unwritten, fresh]);
    try {
      this.#fd ??= openForAppending(this.#file);
      if (fileStat(this.#fd).size >= this.#rotation.maxBytes) this.#fd = this.#reopen(this.#fd);
      const bytes = this.#isTorn ? joined([Uint8Array.of(NEWLINE), all]) : all;
      const written = writeSync(this.#fd, bytes);
      const whole = bytes.subarray(0, written).lastIndexOf(NEWLINE) + 1;
      this.#isTorn = whole < written;
      this.#unwritten = whole === bytes.length ? NOTHING : firstLines(bytes.subarray(whole));
      this.#isFailing = false;
    } catch (error) {
      this.#unwritten = firstLines(all);
      // A failed write must not break the work that the lines describe.
      if (!this.#isFailing) this.#failed(String(error));
      this.#isFailing = true;
    }
  }

  [Symbol.dispose](): void {
    if (this.#unwritten.length > 0) this.append(NOTHING);
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /** The file to write to: a new one, or the full one while another process renames it. */
  #reopen(full: number): number {
    if (!tryLockExclusive(full)) return full;
    if (isAt(full, this.#file)) this.#rotate();
    const fresh = openForAppending(this.#file);
    closeSync(full);
    return fresh;
  }

  /** Renames the current file last: until then no process can have started its successor. */
  #rotate(): void {
    for (let age = this.#rotation.keep; age > 0; age--) {
      const younger = age === 1 ? this.#file : `${this.#file}.${age - 1}`;
      try {
        renameSync(younger, `${this.#file}.${age}`);
      } catch {
        // There are fewer older files.
      }
    }
    if (this.#rotation.keep === 0) unlinkIfThere(this.#file);
  }
}

/** The first lines, up to MAX_UNWRITTEN bytes. */
function firstLines(lines: Uint8Array): Uint8Array {
  return lines.slice(0, lines.length > MAX_UNWRITTEN ? lines.lastIndexOf(NEWLINE, MAX_UNWRITTEN) + 1 : lines.length);
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
