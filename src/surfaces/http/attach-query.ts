/** Query parameters of an attach request: size, replay, cursor and role. */
import { REPLAYS, type ReplayKind, type Role } from "../../protocol/wire/attach.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import { MAX_DIMENSION } from "../../protocol/wire/holder-methods.ts";

export interface AttachQuery {
  size: { cols: number; rows: number } | null;
  /** Sent first, unless the client resumes from a cursor. */
  replay: ReplayKind;
  cursor: string | null;
  role: Role | null;
}

export function parseAttachQuery(query: URLSearchParams): AttachQuery {
  const [cols, rows] = [parseDimension(query, "cols"), parseDimension(query, "rows")];
  const role = query.get("role");
  if (role !== null && role !== "viewer" && role !== "driver")
    throw new HoltError("EBADARGS", `invalid role: ${JSON.stringify(role.slice(0, 40))}`, {
      hint: "use viewer or driver",
    });
  const size = cols === null || rows === null ? null : { cols, rows };
  return { size, replay: parseReplay(query), cursor: parseCursor(query), role };
}

function parseReplay(query: URLSearchParams): ReplayKind {
  const given = query.get("replay") ?? "screen";
  const replay = REPLAYS.find((known) => known === given);
  if (replay !== undefined) return replay;
  throw new HoltError("EBADARGS", `invalid replay: ${JSON.stringify(given.slice(0, 40))}`, {
    hint: `use one of ${REPLAYS.join(", ")}`,
  });
}

export function parseCursor(query: URLSearchParams): string | null {
  const cursor = query.get("cursor");
  if (cursor === null || /^\d{1,15}$/.test(cursor)) return cursor;
  throw new HoltError("EBADARGS", `invalid cursor: ${JSON.stringify(cursor.slice(0, 40))}`, {
    hint: "use a byte offset",
  });
}

function parseDimension(query: URLSearchParams, name: "cols" | "rows"): number | null {
  const given = query.get(name);
  if (given === null) return null;
  const value = Number(given);
  if (Number.isSafeInteger(value) && value >= 1 && value <= MAX_DIMENSION) return value;
  throw new HoltError("EBADARGS", `invalid ${name}: ${JSON.stringify(given.slice(0, 40))}`, {
    hint: `use a whole number from 1 to ${MAX_DIMENSION}`,
  });
}
