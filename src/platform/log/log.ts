/**
 * The structured log: one line per entry, one file for all processes of a user (rotated-file.ts).
 * Nothing here throws or waits.
 */
import {
  DEFAULT_LOG_LEVEL,
  isLogged,
  type LogSettings,
  type LogFormat,
  type LogLevel,
} from "../../protocol/types/log-settings.ts";
import { maskField } from "./mask.ts";
import { RotatedFile, type Rotation } from "../fs/rotated-file.ts";

export type { LogLevel } from "../../protocol/types/log-settings.ts";
export { maskArgv } from "./mask.ts";

export interface Log extends Disposable {
  write(level: LogLevel, message: string, fields?: Record<string, unknown>): void;
  /**
   * True when entries of this level are written. Callers check it before they build a costly entry.
   */
  has(level: LogLevel): boolean;
}

export interface LogOptions extends Partial<LogSettings>, Partial<Rotation> {}

const MAX_LINE_BYTES = 64 * 1024;

/** The file is created with the first entry. */
export function openLog(file: string, options: LogOptions | null = null): Log {
  return new LogFile(file, options ?? {});
}

class LogFile implements Log {
  readonly #file: RotatedFile;
  readonly #least: LogLevel;
  readonly #format: LogFormat;

  constructor(
    file: string,
    { maxBytes = 4 * 1024 * 1024, keep = 3, level = DEFAULT_LOG_LEVEL, format = "json" }: LogOptions,
  ) {
    this.#file = new RotatedFile(file, { maxBytes, keep });
    this.#least = level;
    this.#format = format;
  }

  write(level: LogLevel, message: string, fields: Record<string, unknown> = {}): void {
    if (!this.has(level)) return;
    const head = { time: new Date().toISOString(), level, message: message.slice(0, 4096), pid: process.pid };
    try {
      const line = `${lineOf(this.#format, { ...head, ...fields })}\n`;
      const isLong = line.length > MAX_LINE_BYTES;
      this.#file.append(isLong ? `${lineOf(this.#format, { ...head, cut: line.length })}\n` : line);
    } catch {
      // A log that cannot be written must not break the work that it describes.
    }
  }

  has(level: LogLevel): boolean {
    return isLogged(level, this.#least);
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

/**
 * `text` format: time, level, message, then each field as NAME=VALUE; a value is a plain word or
 * JSON.
 */
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
