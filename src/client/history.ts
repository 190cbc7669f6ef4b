/**
 * `holt.db`: what is known of ended sessions, so that a list of thousands need not open each of them. A cache and nothing else: every row can be
 * read again from sessions/, and one that cannot be used is deleted and made anew.
 *
 * An ended session does not change, so a row is right for as long as it is about the same directory (its inode and time, `stamp`). While
 * sessions/ itself has not changed since the last look, no directory came or went, and only those that had not ended are looked at again.
 */
import type * as Sqlite from "bun:sqlite";
import { withPrivateUmask } from "../platform/files.ts";
import { unlinkIfThere } from "../platform/fs.ts";
import { entryStat } from "../platform/stat.ts";
import { isFinal, type Session } from "../protocol/session.ts";
import { readSession, sessionIds } from "../transcript/catalog.ts";
import type { Layout } from "../transcript/layout.ts";
import { isWanted, type Listing, type Wanted } from "./listing.ts";

const SCHEMA = 3;
/** A directory that changed less than this before the look may have changed again within one tick of its clock. */
const SETTLED_MS = 2000;

/** Not sorted. Null when the cache cannot be used at all. */
export function listFromHistory(layout: Layout, wanted: Wanted): Listing | null {
  for (const isLastTry of [false, true]) {
    try {
      using history = new History(layout);
      return history.list(wanted);
    } catch (error) {
      if (isLastTry || isInTheWay(error) || !removed(layout)) return null;
    }
  }
  return null;
}

/** Another holt writes, or the disk does not let us: no reason to throw the cache away. */
function isInTheWay(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^SQLITE_(?:BUSY|LOCKED|READONLY|FULL|IOERR|PERM)/.test(code);
}

function removed(layout: Layout): boolean {
  try {
    for (const suffix of ["", "-wal", "-shm"]) unlinkIfThere(`${layout.root}/holt.db${suffix}`);
    return true;
  } catch {
    return false; // something else stands in its place
  }
}

interface Row {
  id: string;
  stamp: string;
}

class History implements Disposable {
  readonly #layout: Layout;
  readonly #db: Sqlite.Database;

  constructor(layout: Layout) {
    this.#layout = layout;
    // Loaded by who has so many sessions that it pays.
    const sqlite = process.getBuiltinModule("bun:sqlite") as typeof Sqlite;
    this.#db = withPrivateUmask(() => new sqlite.Database(`${layout.root}/holt.db`, { create: true, strict: true }));
    this.#db.run("PRAGMA busy_timeout = 200");
    this.#db.run("PRAGMA journal_mode = WAL");
    this.#db.run("PRAGMA synchronous = NORMAL");
    const version = this.#db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
    if (version !== 0 && version !== SCHEMA) throw new Error("another holt's");
    if (version === 0) this.#create();
  }

  /** Those that have not ended are read now; the rest is known. */
  list(wanted: Wanted): Listing {
    const living = this.#refresh();
    const rows = this.#db
      .query<{ session: string }, [number]>("SELECT session FROM ended WHERE ended_at >= ?")
      .all(wanted.endedSince ?? 0);
    const known = rows.map(({ session }) => JSON.parse(session) as Session);
    const count = this.#db.query<{ count: number }, []>("SELECT count(*) AS count FROM ended").get()?.count ?? 0;
    const sessions = [...living, ...known].filter((session) => isWanted(session, wanted));
    return { sessions, total: living.length + count };
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #create(): void {
    this.#db.transaction(() => {
      this.#db.run(
        "CREATE TABLE IF NOT EXISTS ended (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, ended_at REAL NOT NULL, session TEXT NOT NULL) WITHOUT ROWID",
      );
      this.#db.run("CREATE INDEX IF NOT EXISTS by_end ON ended (ended_at)");
      this.#db.run("CREATE TABLE IF NOT EXISTS open (id TEXT PRIMARY KEY) WITHOUT ROWID");
      this.#db.run("CREATE TABLE IF NOT EXISTS looked (at TEXT NOT NULL)");
      this.#db.run(`PRAGMA user_version = ${SCHEMA}`);
    })();
  }

  /** Brings the rows up to date; the sessions that have not ended. */
  #refresh(): Session[] {
    const now = Date.now();
    const directory = entryStat(this.#layout.sessions);
    const stamp = directory === null ? "" : `${directory.ino} ${directory.mtimeMs}`;
    const before = this.#db.query<{ at: string }, []>("SELECT at FROM looked").get()?.at;
    const isUnchanged = before === stamp;
    const ids = isUnchanged ? this.#open() : this.#changed();
    const living: Session[] = [];
    const ended: { row: Row; session: Session }[] = [];
    for (const id of ids) {
      const row = { id, stamp: this.#stampOf(id) };
      const session = readSession(this.#layout, id);
      if (session === null) continue;
      // A lost one is concluded, not recorded, and its survivors come and go.
      if (isFinal(session.state) && session.reason !== "holder_lost") ended.push({ row, session });
      else living.push(session);
    }
    const isSettled = directory !== null && now - directory.mtimeMs > SETTLED_MS;
    this.#keep(ended, living, isSettled ? stamp : "");
    return living;
  }

  #open(): string[] {
    return this.#db
      .query<{ id: string }, []>("SELECT id FROM open")
      .all()
      .map(({ id }) => id);
  }

  /** Those of which no row, or one of another directory, is there. Rows of what is gone go. */
  #changed(): string[] {
    const rows = this.#db.query<Row, []>("SELECT id, stamp FROM ended").all();
    const known = new Map(rows.map(({ id, stamp }) => [id, stamp]));
    const there = new Set(sessionIds(this.#layout));
    const forget = this.#db.query("DELETE FROM ended WHERE id = ?");
    const changed = [...there].filter((id) => known.get(id) !== this.#stampOf(id));
    this.#db.transaction(() => {
      for (const id of [...known.keys()].filter((each) => !there.has(each))) forget.run(id);
      for (const id of changed) if (known.has(id)) forget.run(id);
    })();
    return changed;
  }

  #stampOf(id: string): string {
    const directory = entryStat(`${this.#layout.sessions}/${id}`);
    return directory === null ? "" : `${directory.ino} ${directory.mtimeMs}`;
  }

  #keep(ended: readonly { row: Row; session: Session }[], living: readonly Session[], looked: string): void {
    const put = this.#db.query("INSERT OR REPLACE INTO ended VALUES (?, ?, ?, ?)");
    const remember = this.#db.query("INSERT INTO open VALUES (?)");
    this.#db.transaction(() => {
      for (const { row, session } of ended)
        put.run(row.id, row.stamp, Date.parse(session.ended_at ?? session.created_at), JSON.stringify(session));
      this.#db.run("DELETE FROM open");
      for (const { session_id } of living) remember.run(session_id);
      this.#db.run("DELETE FROM looked");
      this.#db.run("INSERT INTO looked VALUES (?)", [looked]);
    })();
  }
}
