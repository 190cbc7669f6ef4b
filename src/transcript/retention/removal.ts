/**
 * Taking a session away. Its lock is held meanwhile, so that no holder can start in it, and its directory is renamed
 * first, so that readers see a whole session or none. Nothing outside sessions/ is touched but the session's sockets.
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

/** No session id begins with a dot. */
const GRAVE = ".removed-";

export function removeSession(layout: Layout, id: string): void {
  if (removeIfEnded(layout, id)) return;
  throw new HoltError("EBUSY", `session "${id}" is running`, { hint: "stop it first", details: { session_id: id } });
}

/** False when its holder lives. */
export function removeIfEnded(layout: Layout, id: string): boolean {
  using dir = SessionDir.open(layout, id);
  // Made where it is missing: what has no lock could be taken by a start while it is removed.
  const lock = openLock(dir);
  try {
    // One that has written its last word lets go in a moment.
    const isHeld = lock !== null && isLocked(lock) && !dir.has("final.json");
    if (isHeld || (lock !== null && !lockWithRetry(lock))) return false;
    // Another removal may have had it, and another session may have its name by now. With the lock held, no longer.
    if (!dir.isInPlace()) throw sessionNotFound(id);
    // Before the name is free: the next session of that name has sockets of the same names.
    const meta = orNull(() => readMeta(dir));
    if (meta !== null) socketsOf(layout, { ...meta, session_id: id }).forEach(removeSocket);
    bury(layout, id);
    return true;
  } catch (error) {
    // Somebody else was faster.
    throw errnoOf(error) === "ENOENT" ? sessionNotFound(id) : error;
  } finally {
    if (lock !== null) closeSync(lock);
  }
}

/** What a removal that was killed left of a session. */
export function clearRemoved(layout: Layout): void {
  const sessions = openSessions(layout);
  if (sessions === null) return;
  try {
    const graves = readdirSync(layout.sessions).filter((name) => name.startsWith(GRAVE));
    for (const grave of graves) orNull(() => removeTreeAt({ fd: sessions, path: layout.sessions }, grave));
  } finally {
    closeSync(sessions);
  }
}

/** What cannot be removed goes back to its name, to be seen and tried again. */
function bury(layout: Layout, id: string): void {
  const grave = GRAVE + crypto.randomUUID();
  const sessions = openSessions(layout);
  if (sessions === null) throw sessionNotFound(id);
  try {
    renameAt(sessions, id, grave);
    try {
      removeTreeAt({ fd: sessions, path: layout.sessions }, grave);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return; // a sweep clears graves, and was faster
      orNull(() => renameAt(sessions, grave, id));
      throw error;
    }
  } finally {
    closeSync(sessions);
  }
}

/** Null where something else stands in its place, which nobody can hold. Any other refusal is no sign that nobody does. */
function openLock(dir: SessionDir): number | null {
  try {
    return dir.openArtifact("append.lock", "create");
  } catch (error) {
    if (error instanceof HoltError && error.code === "EDENIED") return null;
    throw errnoOf(error) === "ENOENT" ? sessionNotFound(dir.id) : error;
  }
}
