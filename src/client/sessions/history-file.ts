/**
 * `holt.db` as a file shared by processes: opened or created, read in transactions, removed when
 * unusable.
 */
import type * as Sqlite from "bun:sqlite";
import { withPrivateUmask } from "../../platform/fs/files.ts";
import { unlinkIfThere } from "../../platform/fs/libc-fs.ts";
import type { Layout } from "../../transcript/layout.ts";
import { SCHEMA_STATEMENTS } from "./history-rows.ts";

/** The version of the rows, which contain whole sessions: increased with each change of Session. */
export const HISTORY_SCHEMA = 6;

export function openHistory({ root }: Layout): Sqlite.Database {
  // Loaded only here: few users have enough sessions to need it.
  const sqlite = process.getBuiltinModule("bun:sqlite") as typeof Sqlite;
  const db = withPrivateUmask(() => new sqlite.Database(`${root}/holt.db`, { create: true, strict: true }));
  db.run("PRAGMA busy_timeout = 200");
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = NORMAL");
  const version = db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
  if (version !== 0 && version !== HISTORY_SCHEMA) throw new Error("holt.db has another schema");
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
 * Runs `look` in one transaction, so that all it reads is from one moment. Reading blocks no other
 * process. If another process writes first, `look` runs again with writers locked out.
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
    if (db.inTransaction) db.run("ROLLBACK"); // some errors roll back by themselves
    throw error;
  }
}

/** Another process writes, or the disk refuses: no reason to delete the cache. */
export function isTransient(error: unknown): boolean {
  return isBusy(error) || /^SQLITE_(?:LOCKED|READONLY|FULL|IOERR|PERM)/.test(codeOf(error));
}

function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** False if another kind of file is in its place. */
export function removeHistory({ root }: Layout): boolean {
  try {
    for (const suffix of ["", "-wal", "-shm"]) unlinkIfThere(`${root}/holt.db${suffix}`);
    return true;
  } catch {
    return false;
  }
}
