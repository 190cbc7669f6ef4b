/**
 * `holt.db`: a cache of ended sessions, so that a list of thousands need not open each directory.
 * Every row can be read again from sessions/; an unusable file is deleted and rebuilt.
 *
 * An ended session does not change, so a row is valid for as long as it belongs to the same
 * directory (`stamp`: inode and time). While sessions/ itself is unchanged, only sessions that had
 * not ended are read again.
 *
 * Many processes list at once. Each compares, updates and queries the rows in one transaction, so
 * that no session is missing or listed twice.
 */
import type * as Sqlite from "bun:sqlite";
import { directoryStamp } from "../../platform/fs/directory-stamp.ts";
import { exists } from "../../platform/fs/libc-fs.ts";
import { entryStat } from "../../platform/fs/stat.ts";
import type { Session } from "../../protocol/types/session.ts";
import { readSession, sessionIds } from "../../transcript/read/catalog.ts";
import type { Layout } from "../../transcript/layout.ts";
import { inTransaction, isTransient, openHistory, removeHistory } from "./history-file.ts";
import { countRows, type Detail, idsIn, listRows, INSERT_ROW, rowOf } from "./history-rows.ts";
import { hasRecordedEnd, type Listing, type SessionFilter } from "./listing.ts";

/** Directories read per turn of the event loop. */
const BATCH_SIZE = 50;

export interface HistoryQuery {
  filter: SessionFilter;
  detail: Detail;
  /**
   * `names` does not notice a directory that was replaced by another of the same name; `stamps`
   * does.
   */
  check: "names" | "stamps";
}

/** Sessions without a recorded end, and the number of those with one. */
export interface SessionCounts {
  open: Session[];
  ended: number;
}

/** Null if the cache is unusable. */
export function listFromHistory(layout: Layout, { filter, detail, check }: HistoryQuery): Listing | null {
  return withHistory(layout, (history) => history.query(check, (db, open) => listRows(db, open, { filter, detail })));
}

export function countFromHistory(layout: Layout, check: HistoryQuery["check"]): SessionCounts | null {
  return withHistory(layout, (history) => history.query(check, (db, open) => ({ open, ended: countRows(db) })));
}

/** The ids with a valid row. */
export function idsInHistory(layout: Layout): Set<string> {
  return withHistory(layout, (history) => history.validIds()) ?? new Set();
}

/** The sessions known to a process that follows all changes of sessions/. */
export interface KnownSessions {
  /** Newest first. */
  open: readonly Session[];
  ended: ReadonlySet<string>;
  /** Ids added to `ended` or removed from it since the rows were last updated. */
  changed: ReadonlySet<string>;
}

/** A list for such a process: reads only the directories in `changed`. */
export function listFromKnown(
  layout: Layout,
  known: KnownSessions,
  { filter, detail }: Omit<HistoryQuery, "check">,
): Listing | null {
  return withHistory(layout, (history) =>
    history.queryKnown(known, (db) => listRows(db, known.open, { filter, detail })),
  );
}

/**
 * Null if the cache lacks only a few sessions; else adds them in batches, so that other work on the
 * event loop is not delayed.
 */
export function catchUp(layout: Layout): Promise<void> | null {
  const missing = withHistory(layout, (history) => history.missingIds()) ?? [];
  return missing.length <= BATCH_SIZE ? null : addInBatches(layout, missing);
}

async function addInBatches(layout: Layout, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < ids.length; i += BATCH_SIZE) {
    await new Promise((resolve) => setImmediate(resolve));
    if (withHistory(layout, (history) => history.add(ids.slice(i, i + BATCH_SIZE))) === null) return;
  }
}

function withHistory<T>(layout: Layout, use: (history: History) => T): T | null {
  for (const isLastTry of [false, true]) {
    try {
      using history = new History(layout);
      return use(history);
    } catch (error) {
      if (isLastTry || isTransient(error) || !removeHistory(layout)) return null;
    }
  }
  return null;
}

interface Row {
  id: string;
  stamp: string;
}

interface Comparison {
  /** Ids without a row, or whose row is from another directory. */
  changed: string[];
  /** Rows of removed or replaced directories. */
  gone: string[];
}

interface ReadSessions {
  ended: { row: Row; session: Session }[];
  living: Session[];
  /** Living sessions, and those whose records are not written yet. */
  open: string[];
}

interface HistoryChanges extends Pick<Comparison, "gone">, Pick<ReadSessions, "ended" | "open"> {
  /** The stamp of sessions/ for which `open` is complete; null if unknown. */
  checkedStamp: string | null;
}

class History implements Disposable {
  readonly #layout: Layout;
  readonly #db: Sqlite.Database;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#db = openHistory(layout);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  missingIds(): string[] {
    return this.#compare("names").changed;
  }

  validIds(): Set<string> {
    const { gone } = this.#compare("stamps");
    return new Set(idsIn(this.#db)).difference(new Set(gone));
  }

  /** Adds those that have ended. */
  add(ids: readonly string[]): true {
    const { ended } = this.#read(ids.filter((id) => exists(`${this.#layout.sessions}/${id}/final.json`)));
    const put = this.#db.query(INSERT_ROW);
    this.#db.transaction(() => {
      for (const { row, session } of ended) put.run(...rowOf(row, session));
      this.#db.run("DELETE FROM looked"); // another process may have seen one of them removed
    })();
    return true;
  }

  /** Updates the rows and reads the sessions without a recorded end, then calls `ask`. */
  query<T>(check: HistoryQuery["check"], ask: (db: Sqlite.Database, open: Session[]) => T): T {
    return inTransaction(this.#db, () => ask(this.#db, this.#refresh(check)));
  }

  /** As query(), but takes the ended sessions from `ended`. */
  queryKnown<T>({ ended, changed }: KnownSessions, ask: (db: Sqlite.Database) => T): T {
    return inTransaction(this.#db, () => {
      this.#replace(changed, ended);
      if (countRows(this.#db) !== ended.size) this.#replace(new Set(idsIn(this.#db)).symmetricDifference(ended), ended);
      return ask(this.#db);
    });
  }

  #replace(ids: ReadonlySet<string>, ended: ReadonlySet<string>): void {
    if (ids.size === 0) return;
    this.#write({ gone: [...ids], ended: this.#read([...ids].filter((id) => ended.has(id))).ended });
    this.#db.run("DELETE FROM looked");
  }

  #refresh(check: HistoryQuery["check"]): Session[] {
    const stamp = directoryStamp(this.#layout.sessions);
    const before = this.#db.query<{ at: string }, []>("SELECT at FROM looked").get()?.at;
    const isUnchanged = stamp !== null && before === stamp.text;
    const { changed, gone } = isUnchanged ? { changed: this.#open(), gone: [] } : this.#compare(check);
    const { ended, living, open } = this.#read(changed);
    const checkedStamp = isUnchanged || (stamp?.isSettled && check === "stamps") ? stamp.text : null;
    const hasChanges = gone.length > 0 || ended.length > 0 || (checkedStamp !== null && !isUnchanged);
    if (hasChanges) this.#store({ gone, ended, open, checkedStamp });
    return living;
  }

  #read(ids: readonly string[]): ReadSessions {
    const found: ReadSessions = { ended: [], living: [], open: [] };
    for (const id of ids) {
      const row = { id, stamp: this.#stampOf(id) };
      const session = readSession(this.#layout, id);
      const isOver = session !== null && hasRecordedEnd(session);
      if (isOver) found.ended.push({ row, session });
      else found.open.push(id);
      if (session !== null && !isOver) found.living.push(session);
    }
    return found;
  }

  #open(): string[] {
    return this.#db
      .query<{ id: string }, []>("SELECT id FROM open")
      .all()
      .map(({ id }) => id);
  }

  #compare(check: HistoryQuery["check"]): Comparison {
    const rows = this.#db.query<Row, []>(`SELECT id, ${check === "names" ? "'' AS stamp" : "stamp"} FROM ended`).all();
    const known = new Map(rows.map(({ id, stamp }) => [id, stamp]));
    const there = new Set(sessionIds(this.#layout));
    const changed = new Set(
      [...there].filter((id) => (check === "names" ? !known.has(id) : known.get(id) !== this.#stampOf(id))),
    );
    const gone = [...known.keys()].filter((id) => !there.has(id) || changed.has(id));
    return { changed: [...changed], gone };
  }

  #stampOf(id: string): string {
    const directory = entryStat(`${this.#layout.sessions}/${id}`);
    return directory === null ? "" : `${directory.ino} ${directory.mtimeMs}`;
  }

  #write({ gone, ended }: Pick<HistoryChanges, "gone" | "ended">): void {
    const forget = this.#db.query("DELETE FROM ended WHERE id = ?");
    const put = this.#db.query(INSERT_ROW);
    for (const id of gone) forget.run(id);
    for (const { row, session } of ended) put.run(...rowOf(row, session));
  }

  #store({ gone, ended, open, checkedStamp }: HistoryChanges): void {
    this.#write({ gone, ended });
    this.#db.run("DELETE FROM looked");
    if (checkedStamp === null) return;
    const remember = this.#db.query("INSERT INTO open VALUES (?)");
    this.#db.run("DELETE FROM open");
    for (const id of open) remember.run(id);
    this.#db.run("INSERT INTO looked VALUES (?)", [checkedStamp]);
  }
}
