/**
 * Removes a session. The lock is held meanwhile, so that no holder can start in it, and the
 * directory is renamed first, so that readers see a whole session or none. Outside sessions/ only
 * the session's sockets are touched.
 */
import { closeSync, readdirSync } from "node:fs";
import { renameAt } from "../../platform/fs/files.ts";
import { isLocked } from "../../platform/fs/lock.ts";
import { removeTreeAt } from "../../platform/fs/remove-tree.ts";
import { errnoOf, HoltError, sessionNotFound } from "../../protocol/types/errors.ts";
import type { Layout } from "../layout.ts";
import { lockWithRetry } from "../lock-with-retry.ts";
import { orNull } from "../or-null.ts";
import { readMeta } from "../read/read-records.ts";
import { openSessions, SessionDir } from "../session-dir.ts";
import { removeSocket, socketsOf } from "./stale-socket.ts";

/** Prefix of a directory being removed; no session id begins with a dot. */
const REMOVED_PREFIX = ".removed-";

export function removeSession(layout: Layout, id: string): void {
  if (removeIfEnded(layout, id)) return;
  throw new HoltError("EBUSY", `session "${id}" is running`, { hint: "stop it first", details: { session_id: id } });
}

/** Removes the session unless its holder lives; returns whether it did. */
export function removeIfEnded(layout: Layout, id: string): boolean {
  using dir = SessionDir.open(layout, id);
  // Create a missing lock file: otherwise a start could take the id during the removal.
  const lock = openLock(dir);
  try {
    // A holder that has written final.json unlocks in a moment: lockWithRetry waits for that.
    const isHeld = lock !== null && isLocked(lock) && !dir.has("final.json");
    if (isHeld || (lock !== null && !lockWithRetry(lock))) return false;
    // Before the lock was taken, another removal may have freed the id, and a new session may have
    // it. The lock excludes that from here on.
    if (!dir.isInPlace()) throw sessionNotFound(id);
    // The sockets go before the directory: once that is gone, a new session may take the id and
    // have sockets at the same paths.
    const meta = orNull(() => readMeta(dir));
    if (meta !== null) socketsOf(layout, { ...meta, session_id: id }).forEach(removeSocket);
    removeDirectory(layout, id);
    return true;
  } catch (error) {
    // Another removal was faster.
    throw errnoOf(error) === "ENOENT" ? sessionNotFound(id) : error;
  } finally {
    if (lock !== null) closeSync(lock);
  }
}

/** Removes what an interrupted removal left. */
export function clearRemoved(layout: Layout): void {
  const sessions = openSessions(layout);
  if (sessions === null) return;
  try {
    const leftovers = readdirSync(layout.sessions).filter((name) => name.startsWith(REMOVED_PREFIX));
    for (const removedName of leftovers)
      orNull(() => removeTreeAt({ fd: sessions, path: layout.sessions }, removedName));
  } finally {
    closeSync(sessions);
  }
}

/**
 * Removes the directory; on failure it gets its name back, so that it is visible and can be tried
 * again.
 */
function removeDirectory(layout: Layout, id: string): void {
  const removedName = REMOVED_PREFIX + crypto.randomUUID();
  const sessions = openSessions(layout);
  if (sessions === null) throw sessionNotFound(id);
  try {
    renameAt(sessions, id, removedName);
    try {
      removeTreeAt({ fd: sessions, path: layout.sessions }, removedName);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return; // a sweep removed it first
      orNull(() => renameAt(sessions, removedName, id));
      throw error;
    }
  } finally {
    closeSync(sessions);
  }
}

/**
 * Null if the lock is not a regular file. The removal is safe without it: no holder started with
 * it and none can, since SessionDir.lock() opens it the same way and fails. (A file replaced by
 * hand under a running holder is not covered.) Other errors are thrown: they do not prove that the
 * lock is free.
 */
function openLock(dir: SessionDir): number | null {
  try {
    return dir.openArtifact("append.lock", "create");
  } catch (error) {
    if (error instanceof HoltError && error.code === "EDENIED") return null;
    throw errnoOf(error) === "ENOENT" ? sessionNotFound(dir.id) : error;
  }
}
