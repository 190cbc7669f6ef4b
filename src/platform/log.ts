/**
 * The structured log: one JSON line an entry, shared by all processes of a user. Each line is one write to a file that
 * was opened for appending, so lines of different processes do not mix. Whoever finds the file full renames it under its
 * lock; the others notice when they find theirs full, and open the new one. Nothing here throws or waits.
 */
import { fileConstants } from "./constants.ts";
import { withPrivateUmask } from "./files.ts";
import { closeSync, openSync, renameSync, writeSync } from "./fs.ts";
import { tryLockExclusive } from "./lock.ts";
import { maskField } from "./mask.ts";
import { entryStat, fileStat, isSameFile, kindOf } from "./stat.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { LOG_LEVELS, type LogChoice, type LogFormat, type LogLevel } from "../protocol/log-choice.ts";

export { maskArgv } from "./mask.ts";

export type { LogLevel } from "../protocol/log-choice.ts";

export interface Log extends Disposable {
  write(level: LogLevel, message: string, fields?: Record<string, unknown>): void;
}

export interface LogOptions extends Partial<LogChoice> {
  maxBytes?: number;
  /** Older files, `.1` to `.<keep>`. */
  keep?: number;
}

const MAX_LINE_BYTES = 64 * 1024;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fileConstants;

/** The file is made with the first entry. */
export function openLog(file: string, options: LogOptions | null = null): Log {
  return new LogFile(file, options ?? {});
}

class LogFile implements Log {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #keep: number;
  readonly #least: number;
  readonly #format: LogFormat;
  #fd: number | null = null;
  /** A full disk cut our last line: the next one starts with a newline. */
  #isTorn = false;

  constructor(file: string, { maxBytes = 4 * 1024 * 1024, keep = 3, level = "debug", format = "json" }: LogOptions) {
    this.#least = LOG_LEVELS.indexOf(level);
    this.#format = format;
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#keep = keep;
  }

  write(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
    if (LOG_LEVELS.indexOf(level) < this.#least) return;
    try {
      this.#fd ??= openForAppending(this.#file);
      if (fileStat(this.#fd).size >= this.#maxBytes) this.#fd = this.#renew(this.#fd);
      const line = bytesOf((this.#isTorn ? "\n" : "") + this.#encode(level, message, fields));
      this.#isTorn = writeSync(this.#fd, line) < line.length;
    } catch {
      // A log that cannot be written must not break what it tells about.
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #encode(level: LogLevel, message: string, fields: Record<string, unknown>): string {
    const head = { time: new Date().toISOString(), level, message: message.slice(0, 4096), pid: process.pid };
    const line = `${lineOf(this.#format, { ...head, ...fields })}\n`;
    return line.length <= MAX_LINE_BYTES ? line : `${lineOf(this.#format, { ...head, cut: line.length })}\n`;
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
    for (let age = this.#keep; age > 0; age--) {
      const younger = age === 1 ? this.#file : `${this.#file}.${age - 1}`;
      try {
        renameSync(younger, `${this.#file}.${age}`);
      } catch {
        // There are not that many yet.
      }
    }
  }
}

/** `text`: time, level and message, and then each field as NAME=VALUE, where a value is JSON unless it is a plain word. */
function lineOf(format: LogFormat, entry: Record<string, unknown>): string {
  const json = JSON.stringify(entry, maskField);
  if (format === "json") return json;
  const { time, level, message, ...rest } = JSON.parse(json) as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`);
  return [time, String(level).padEnd(5), oneLine(String(message)), ...fields].join(" ");
}

function plain(value: unknown): string {
  return typeof value === "string" && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}

function oneLine(message: string): string {
  return message.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, " ");
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
