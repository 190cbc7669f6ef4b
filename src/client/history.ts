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
import { type Detail, listRows, PUT, rowOf, TABLES } from "./history-rows.ts";
import type { Listing, Wanted } from "./listing.ts";

const SCHEMA = 4;
/** A directory that changed less than this before the look may have changed again within one tick of its clock. */
const SETTLED_MS = 2000;
/** Sessions, read from their directories in one go. */
const AT_ONCE = 50;

export interface HistoryLook {
  wanted: Wanted;
  detail: Detail;
  /** `names`: that a directory was removed and another made under the same name may be seen later. */
  care: "names" | "stamps";
}

/** Those that are not ended, or whose end nobody wrote down; and how many ended. */
export interface Counted {
  open: Session[];
  ended: number;
}

/** Null when the cache cannot be used at all. */
export function listFromHistory(layout: Layout, { wanted, detail, care }: HistoryLook): Listing | null {
  return withHistory(layout, (history) => listRows(history.db, history.refresh(care), { wanted, detail }));
}

export function countFromHistory(layout: Layout, care: HistoryLook["care"]): Counted | null {
  return withHistory(layout, (history) => {
    const open = history.refresh(care);
    return { open, ended: history.db.query<{ n: number }, []>("SELECT count(*) AS n FROM ended").get()?.n ?? 0 };
  });
}

/** Null when it knows of all but a few; else reads those that it does not, a few at a time, so that whoever shares the loop is not held up. */
export function catchUp(layout: Layout): Promise<void> | null {
  const unknown = withHistory(layout, (history) => history.unknown()) ?? [];
  return unknown.length <= AT_ONCE ? null : takeInTurns(layout, unknown);
}

async function takeInTurns(layout: Layout, unknown: readonly string[]): Promise<void> {
  for (let i = 0; i < unknown.length; i += AT_ONCE) {
    await new Promise((resolve) => setImmediate(resolve));
    if (withHistory(layout, (history) => history.take(unknown.slice(i, i + AT_ONCE))) === null) return;
  }
}

function withHistory<T>(layout: Layout, use: (history: History) => T): T | null {
  for (const isLastTry of [false, true]) {
    try {
      using history = new History(layout);
      return use(history);
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

interface Read {
  ended: { row: Row; session: Session }[];
  living: Session[];
  /** The living ones, and those whose records are not there yet. */
  open: string[];
}

class History implements Disposable {
  readonly #layout: Layout;
  readonly db: Sqlite.Database;

  constructor(layout: Layout) {
    this.#layout = layout;
    // Loaded by who has so many sessions that it pays.
    const sqlite = process.getBuiltinModule("bun:sqlite") as typeof Sqlite;
    this.db = withPrivateUmask(() => new sqlite.Database(`${layout.root}/holt.db`, { create: true, strict: true }));
    this.db.run("PRAGMA busy_timeout = 200");
    this.db.run("PRAGMA journal_mode = WAL");
    this.db.run("PRAGMA synchronous = NORMAL");
    const version = this.db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
    if (version !== 0 && version !== SCHEMA) throw new Error("another holt's");
    if (version === 0) this.#create();
  }

  [Symbol.dispose](): void {
    this.db.close();
  }

  #create(): void {
    this.db.transaction(() => {
      for (const table of TABLES) this.db.run(table);
      this.db.run(`PRAGMA user_version = ${SCHEMA}`);
    })();
  }

  unknown(): string[] {
    return this.#changed("names");
  }

  /** Those that have ended. */
  take(ids: readonly string[]): true {
    const { ended } = this.#read(ids);
    const put = this.db.query(PUT);
    this.db.transaction(() => {
      for (const { row, session } of ended) put.run(...rowOf(row, session));
    })();
    return true;
  }

  /** Brings the rows up to date; the sessions that have not ended, which are read now. */
  refresh(care: "names" | "stamps"): Session[] {
    const now = Date.now();
    const directory = entryStat(this.#layout.sessions);
    const stamp = directory === null ? "" : `${directory.ino} ${directory.mtimeMs}`;
    const before = this.db.query<{ at: string }, []>("SELECT at FROM looked").get()?.at;
    const isUnchanged = before === stamp;
    const ids = isUnchanged ? this.#open() : this.#changed(care);
    const { ended, living, open } = this.#read(ids);
    const isSettled = directory !== null && now - directory.mtimeMs > SETTLED_MS && care === "stamps";
    if (ended.length > 0 || (isSettled && !isUnchanged)) this.#keep(ended, open, isUnchanged || isSettled ? stamp : "");
    return living;
  }

  #read(ids: readonly string[]): Read {
    const found: Read = { ended: [], living: [], open: [] };
    for (const id of ids) {
      const row = { id, stamp: this.#stampOf(id) };
      const session = readSession(this.#layout, id);
      // A lost one is concluded, not recorded, and its survivors come and go.
      const isOver = session !== null && isFinal(session.state) && session.reason !== "holder_lost";
      if (isOver) found.ended.push({ row, session });
      else found.open.push(id);
      if (session !== null && !isOver) found.living.push(session);
    }
    return found;
  }

  #open(): string[] {
    return this.db
      .query<{ id: string }, []>("SELECT id FROM open")
      .all()
      .map(({ id }) => id);
  }

  /** Those of which no row, or one of another directory, is there. Rows of what is gone go. */
  #changed(care: "names" | "stamps"): string[] {
    const rows = this.db.query<Row, []>(`SELECT id, ${care === "names" ? "'' AS stamp" : "stamp"} FROM ended`).all();
    const known = new Map(rows.map(({ id, stamp }) => [id, stamp]));
    const there = new Set(sessionIds(this.#layout));
    const changed = new Set(
      [...there].filter((id) => (care === "names" ? !known.has(id) : known.get(id) !== this.#stampOf(id))),
    );
    const gone = [...known.keys()].filter((id) => !there.has(id) || changed.has(id));
    const forget = this.db.query("DELETE FROM ended WHERE id = ?");
    if (gone.length > 0)
      this.db.transaction(() => {
        for (const id of gone) forget.run(id);
      })();
    return [...changed];
  }

  #stampOf(id: string): string {
    const directory = entryStat(`${this.#layout.sessions}/${id}`);
    return directory === null ? "" : `${directory.ino} ${directory.mtimeMs}`;
  }

  #keep(ended: Read["ended"], open: readonly string[], looked: string): void {
    const put = this.db.query(PUT);
    const remember = this.db.query("INSERT INTO open VALUES (?)");
    this.db.transaction(() => {
      for (const { row, session } of ended) put.run(...rowOf(row, session));
      this.db.run("DELETE FROM open");
      for (const id of open) remember.run(id);
      this.db.run("DELETE FROM looked");
      this.db.run("INSERT INTO looked VALUES (?)", [looked]);
    })();
  }
}
