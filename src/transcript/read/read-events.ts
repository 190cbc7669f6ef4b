/** Reads events.jsonl; the writing side is write/events.ts. */
import { closeSync } from "../../platform/fs/libc-fs.ts";
import { MAX_BYTES, type SessionEvent } from "../write/events.ts";
import { readStart } from "./read-at.ts";
import type { SessionDir } from "../session-dir.ts";
import { parseJson, fields, text, time } from "../shape.ts";

const heading = fields({ at: time, type: text });

/** Invalid lines are skipped. */
export function readEvents(dir: SessionDir): SessionEvent[] {
  const lines = bytesOf(dir).toString("utf8").split("\n");
  // Bytes after the last newline are not yet a line.
  return lines.slice(0, -1).flatMap((line) => parseJson(line, eventOf) ?? []);
}

const NEWLINE = 10;
const NO_EVENTS = Buffer.alloc(0);

/**
 * Finds the newest events of some types. The file is read once and searched from the end, and only
 * hits are parsed: a session can have thousands of events.
 */
export class NewestEvents {
  readonly #dir: SessionDir;
  /** Read on first use. */
  #bytes: Buffer | null = null;

  constructor(dir: SessionDir) {
    this.#dir = dir;
  }

  /** Milliseconds by which the clock was set since the session began. */
  clockShift(): number {
    const shift = this.newest("clock_set")?.["shift_ms"];
    return typeof shift === "number" ? shift : 0;
  }

  /** The newest event of these types. */
  newest(...types: readonly string[]): SessionEvent | null {
    const found = types.flatMap((type) => this.#newestOf(type) ?? []);
    return found.toSorted((a, b) => b.at - a.at)[0]?.event ?? null;
  }

  /** The newest range of output that was not captured; `to` is null while it lasts. */
  gap(): { from: number; to: number | null } | null {
    const event = this.newest("gap");
    if (typeof event?.["from"] !== "number") return null;
    return { from: event["from"], to: typeof event["to"] === "number" ? event["to"] : null };
  }

  /** Start of the current quiet period, as the holder saw it; null if the session is active. */
  quietSince(): string | null {
    const event = this.newest("quiet", "active");
    return event?.type === "quiet" && typeof event["since"] === "string" ? event["since"] : null;
  }

  /**
   * Quotes inside a JSON string are escaped, so a hit is a key; the parsed event is checked since
   * the key may lie in a nested object.
   */
  #newestOf(type: string): { at: number; event: SessionEvent } | null {
    const bytes = this.#read();
    const written = `"type":${JSON.stringify(type)}`;
    for (let at = bytes.lastIndexOf(written); at >= 0; ) {
      const start = bytes.lastIndexOf(NEWLINE, at) + 1;
      const event = parseJson(bytes.toString("utf8", start, bytes.indexOf(NEWLINE, at)), eventOf);
      if (event?.type === type) return { at, event };
      at = start === 0 ? -1 : bytes.lastIndexOf(written, start - 1);
    }
    return null;
  }

  #read(): Buffer {
    if (this.#bytes !== null) return this.#bytes;
    const bytes = bytesOf(this.#dir);
    // Bytes after the last newline are not yet a line.
    this.#bytes = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
    return this.#bytes;
  }
}

function bytesOf(dir: SessionDir): Buffer {
  const fd = dir.openIfThere("events.jsonl", "read");
  if (fd === null) return NO_EVENTS;
  try {
    const { buffer, byteOffset, length } = readStart(fd, MAX_BYTES);
    return Buffer.from(buffer, byteOffset, length);
  } finally {
    closeSync(fd);
  }
}

/** Other fields are passed through unchecked. */
function eventOf(value: unknown): SessionEvent | undefined {
  const head = heading(value);
  return head === undefined ? undefined : { ...(value as object), ...head };
}
