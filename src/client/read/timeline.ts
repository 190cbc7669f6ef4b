/** A summary of a session over time, from its index, events and commands. */
import type { SessionEvent } from "../../transcript/write/events.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { LocalSessions } from "../sessions/local-sessions.ts";

export interface Bucket {
  at: string;
  cursor: string;
  bytes: number;
}

export type MarkKind = "command" | "resize" | "input" | "attach" | "exit" | "gap";

export interface Mark {
  kind: MarkKind;
  at: string;
  cursor: string | null;
  text: string;
  exit_code?: number | null;
}

export interface Timeline {
  starts_at: string;
  ends_at: string;
  is_over: boolean;
  end: string;
  buckets: Bucket[];
  marks: Mark[];
}

const MAX_MARKS_PER_KIND = 500;

export function timelineOf(sessions: LocalSessions, id: string, maxBuckets: number): Timeline {
  using reader = sessions.reader(id);
  const session = reader.session();
  const starts_at = session.started_at ?? session.created_at;
  const ends_at = session.ended_at ?? new Date().toISOString();
  const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)];
  const width = Math.max(1, (to - from) / maxBuckets);
  const buckets = new Map<number, Bucket>();
  for (const { offset, length, timestamp } of reader.overview()) {
    const time = Date.parse(timestamp);
    const number = Math.min(maxBuckets - 1, Math.max(0, Math.floor((time - from) / width)));
    const bucket = buckets.get(number);
    if (bucket !== undefined) bucket.bytes += length;
    else
      buckets.set(number, {
        at: new Date(from + number * width).toISOString(),
        cursor: String(offset),
        bytes: length,
      });
  }
  const marks = [...eventMarks(sessions.events(id)), ...commandMarks(sessions, id), ...exitMark(session)];
  return {
    starts_at,
    ends_at,
    is_over: isFinal(session.state),
    end: String(reader.end()),
    buckets: [...buckets].toSorted(([a], [b]) => a - b).map(([, bucket]) => bucket),
    marks: lastOfEach(marks)
      .map((mark) => (Date.parse(mark.at) > to ? { ...mark, at: ends_at } : mark)) // the last output may be read after the process ended
      .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
  };
}

function eventMarks(events: readonly SessionEvent[]): Mark[] {
  return events.flatMap((event): Mark[] => {
    const { type, at } = event;
    const cursor = cursorIn(event);
    switch (type) {
      case "resize":
        return [{ kind: "resize", at, cursor, text: `${textIn(event["cols"])}×${textIn(event["rows"])}` }];
      case "input":
        // The event is written when typing stops; `since`, its start, is missing in old records.
        return [
          { kind: "input", at: textIn(event["since"]) || at, cursor, text: `${textIn(event["bytes"])} bytes typed` },
        ];
      case "attach":
        return [{ kind: "attach", at, cursor, text: textIn(event["label"]) || textIn(event["client_id"]) }];
      case "gap":
        return [{ kind: "gap", at, cursor, text: "some output was not kept" }];
      default:
        return [];
    }
  });
}

function commandMarks(sessions: LocalSessions, id: string): Mark[] {
  const { commands } = sessions.commands(id, MAX_MARKS_PER_KIND);
  return commands.map(({ command, started_at, exit_code, output_start }) => ({
    kind: "command",
    at: started_at,
    cursor: String(output_start),
    text: command ?? "",
    exit_code,
  }));
}

function exitMark({ ended_at, output_bytes, exit_code, signal, reason }: Session): Mark[] {
  if (ended_at === null) return [];
  const text = exit_code === null ? (signal ?? reason ?? "ended") : `exited ${exit_code}`;
  return [{ kind: "exit", at: ended_at, cursor: String(output_bytes), text, exit_code }];
}

function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function cursorIn(event: SessionEvent): string | null {
  const known = event["cursor"] ?? event["chunk_offset"] ?? event["from"];
  return typeof known === "number" || typeof known === "string" ? String(known) : null;
}

function lastOfEach(marks: readonly Mark[]): Mark[] {
  return [...Map.groupBy(marks, ({ kind }) => kind).values()].flatMap((alike) => alike.slice(-MAX_MARKS_PER_KIND));
}
