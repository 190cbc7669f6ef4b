/** events.jsonl, read: by everybody but the holder that writes it (events.ts). */
import { closeSync } from "../platform/fs.ts";
import { textOf } from "../protocol/bytes.ts";
import { MAX_BYTES, type SessionEvent } from "./events.ts";
import { readStart } from "./read-at.ts";
import type { SessionDir } from "./session-dir.ts";
import { parseJson, fields, text, time } from "./shape.ts";

const heading = fields({ at: time, type: text });

/** Lines that are no events are passed over. */
export function readEvents(dir: SessionDir): SessionEvent[] {
  const fd = dir.openIfThere("events.jsonl", "read");
  if (fd === null) return [];
  try {
    const lines = textOf(readStart(fd, MAX_BYTES)).split("\n");
    // What follows the last newline is not yet a line.
    return lines.slice(0, -1).flatMap((line) => parseJson(line, eventOf) ?? []);
  } finally {
    closeSync(fd);
  }
}

/** The newest stretch of output that was not captured; `to` is null while it lasts. */
export function lastGap(dir: SessionDir): { from: number; to: number | null } | null {
  const event = readEvents(dir).findLast(({ type }) => type === "gap");
  if (typeof event?.["from"] !== "number") return null;
  return { from: event["from"], to: typeof event["to"] === "number" ? event["to"] : null };
}

/** Since when nothing has happened in it, as its holder saw it; null while something does. */
export function quietSince(dir: SessionDir): string | null {
  const event = readEvents(dir).findLast(({ type }) => type === "quiet" || type === "active");
  return event?.type === "quiet" && typeof event["since"] === "string" ? event["since"] : null;
}

/** Its other fields are whatever they are. */
function eventOf(value: unknown): SessionEvent | undefined {
  const head = heading(value);
  return head === undefined ? undefined : { ...(value as object), ...head };
}
