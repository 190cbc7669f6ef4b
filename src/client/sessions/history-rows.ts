/**
 * The SQL of `holt.db`, so that a list of thousands reads and parses only the rows of its answer.
 */
import type * as Sqlite from "bun:sqlite";
import type { Session } from "../../protocol/types/session.ts";
import { newestFirst } from "../../transcript/read/catalog.ts";
import { summaryOf } from "./summary.ts";
import { matchesFilter, type Listing, onPage, type SessionFilter } from "./listing.ts";

/** How much of each session is returned. */
export type Detail = "brief" | "whole";

const COLUMN: Record<Detail, string> = { brief: "brief", whole: "coalesce(whole, brief)" };

/** `whole` is the last column: if it is long and not selected, its pages are not read. */
export const SCHEMA_STATEMENTS = [
  "CREATE TABLE IF NOT EXISTS ended (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, ended_at REAL NOT NULL, created_at TEXT NOT NULL, state TEXT NOT NULL, name TEXT, project_id TEXT, brief TEXT NOT NULL, whole TEXT) WITHOUT ROWID",
  "CREATE INDEX IF NOT EXISTS by_end ON ended (ended_at)",
  "CREATE INDEX IF NOT EXISTS by_age ON ended (created_at, id)",
  "CREATE INDEX IF NOT EXISTS by_name ON ended (name) WHERE name IS NOT NULL",
  "CREATE TABLE IF NOT EXISTS open (id TEXT PRIMARY KEY) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS looked (at TEXT NOT NULL)",
];

export const INSERT_ROW = "INSERT OR REPLACE INTO ended VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

const NO_LIMIT = -1;

type Value = string | number | null;

export function rowOf({ id, stamp }: { id: string; stamp: string }, session: Session): Value[] {
  const { ended_at, created_at, state, name, project_id } = session;
  const whole = JSON.stringify(session);
  const brief = summaryOf(session);
  const texts = brief === session ? [whole, null] : [JSON.stringify(brief), whole];
  return [id, stamp, Date.parse(ended_at ?? created_at), created_at, state, name, project_id, ...texts];
}

export function withDetail(session: Session, detail: Detail): Session {
  return detail === "brief" ? summaryOf(session) : session;
}

/** Merges the cached rows with the living sessions. */
export function listRows(
  db: Sqlite.Database,
  living: readonly Session[],
  { filter, detail }: { filter: SessionFilter; detail: Detail },
): Listing {
  const livingMatches = living.filter((session) => matchesFilter(session, filter));
  const { where, values } = whereClause(filter);
  const { offset, limit } = filter.page ?? { offset: 0, limit: Number.POSITIVE_INFINITY };
  // Each living session moves later rows by one, so the page begins at most that much earlier in
  // the cache.
  const first = Math.max(0, offset - livingMatches.length);
  const room = limit === Number.POSITIVE_INFINITY ? NO_LIMIT : offset + limit - first;
  const rows = db
    .query<{ session: string }, Value[]>(
      `SELECT ${COLUMN[detail]} AS session FROM ended ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
    )
    .all(...values, room, first);
  const merged = newestFirst([...livingMatches, ...rows.map(({ session }) => JSON.parse(session) as Session)]);
  const page = { offset: offset - first, limit };
  return {
    sessions: onPage(merged, { page }).map((session) => withDetail(session, detail)),
    matching: livingMatches.length + countRows(db, { where, values }),
    total: living.length + countRows(db),
  };
}

export function countRows(db: Sqlite.Database, { where, values }: WhereClause = { where: "", values: [] }): number {
  return db.query<{ n: number }, Value[]>(`SELECT count(*) AS n FROM ended ${where}`).get(...values)?.n ?? 0;
}

export function idsIn(db: Sqlite.Database): string[] {
  return db
    .query<{ id: string }, []>("SELECT id FROM ended")
    .all()
    .map(({ id }) => id);
}

interface WhereClause {
  where: string;
  values: Value[];
}

function whereClause({ endedSince, states, name, projectId }: SessionFilter): WhereClause {
  const conditions: [string, Value[]][] = [];
  if (endedSince !== undefined) conditions.push(["ended_at >= ?", [endedSince]]);
  if (states !== undefined) conditions.push([`state IN (${states.map(() => "?").join(", ")})`, [...states]]);
  if (name !== undefined) conditions.push(["name = ?", [name]]);
  if (projectId !== undefined) conditions.push(["project_id = ?", [projectId]]);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([text]) => text).join(" AND ")}`;
  return { where, values: conditions.flatMap(([, values]) => values) };
}
