/** `holt.db` as a file that many processes share: opened or made, looked at as it is at one moment, and thrown away when it cannot be used. */
import type * as Sqlite from "bun:sqlite";
import { withPrivateUmask } from "../../platform/fs/files.ts";
import { unlinkIfThere } from "../../platform/fs/libc-fs.ts";
import type { Layout } from "../../transcript/layout.ts";
import { SCHEMA_STATEMENTS } from "./history-rows.ts";

/** Of the rows, which are whole sessions: another with each change of what a session has. */
export const HISTORY_SCHEMA = 6;

export function openHistory({ root }: Layout): Sqlite.Database {
  // Loaded by who has so many sessions that it pays.
  const sqlite = process.getBuiltinModule("bun:sqlite") as typeof Sqlite;
  const db = withPrivateUmask(() => new sqlite.Database(`${root}/holt.db`, { create: true, strict: true }));
  db.run("PRAGMA busy_timeout = 200");
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = NORMAL");
  const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  if (version !== 0 && version !== HISTORY_SCHEMA) throw new Error("another holt's");
  if (version === 0) create(db);
  return db;
}

function create(db: Sqlite.Database): void {
  db.transaction(() => {
    for (const table of SCHEMA_STATEMENTS) db.run(table);
    db.run(`PRAGMA user_version = ${HISTORY_SCHEMA}`);
  })();
}

/**
 * All that `look` reads is of one moment, with what it writes itself, whoever else writes meanwhile. Nobody is kept out while it only reads; where another was
 * quicker to write, what it read is old, and it looks again with the others kept out.
 */
export function inTransaction<T>(db: Sqlite.Database, look: () => T): T {
  try {
    return runTransaction(db, "BEGIN", look);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return runTransaction(db, "BEGIN IMMEDIATE", look);
  }
}

function runTransaction<T>(db: Sqlite.Database, begin: "BEGIN" | "BEGIN IMMEDIATE", look: () => T): T {
  db.run(begin);
  try {
    const found = look();
    db.run("COMMIT");
    return found;
  } catch (error) {
    if (db.inTransaction) db.run("ROLLBACK"); // some errors have done so
    throw error;
  }
}

/** Another holt writes, or the disk does not let us: no reason to throw the cache away. */
export function isTransient(error: unknown): boolean {
  return isBusy(error) || /^SQLITE_(?:LOCKED|READONLY|FULL|IOERR|PERM)/.test(codeOf(error));
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** False where something else stands in its place. */
export function removeHistory({ root }: Layout): boolean {
  try {
    for (const suffix of ["", "-wal", "-shm"]) unlinkIfThere(`${root}/holt.db${suffix}`);
    return true;
  } catch {
    return false;
  }
}
