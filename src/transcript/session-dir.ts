/**
 * The only access to a session's files.
 *
 * Files are opened relative to the directory's descriptor, which was opened without following a
 * link: a name swapped for a symlink later leads nowhere. mkdir claims an id. A flock(2) on
 * append.lock proves that the holder lives: lock() takes it after create(), and it is held until
 * dispose. A reserved directory (reserved-dir.ts) has its lock and record already, and claims its
 * id by a rename.
 */
import { makeDirectoryAt, type OpenMode, openDirectoryAt, openIfThereAt, renameAt } from "../platform/fs/files.ts";
import { closeSync } from "../platform/fs/libc-fs.ts";
import { SystemError } from "../platform/native/libc.ts";
import { isLocked } from "../platform/fs/lock.ts";
import { openOwnDirectory } from "../platform/fs/own-directory.ts";
import { entryStat, fileStat, isSameFile } from "../platform/fs/stat.ts";
import { errnoOf, HoltError, sessionNotFound } from "../protocol/types/errors.ts";
import { isSessionId, requireSessionId } from "../protocol/types/session-id.ts";
import { Draft } from "./draft.ts";
import { type Layout, openOrCreateSessions } from "./layout.ts";
import { lockWithRetry } from "./lock-with-retry.ts";
import { bytesOf } from "../protocol/types/bytes.ts";

export type Artifact =
  | "meta.json"
  | "final.json"
  | "output.bin"
  | "index.jsonl"
  | "events.jsonl"
  | "commands.jsonl"
  | "append.lock";

export interface WriteOptions {
  sync: boolean;
  /** An existing draft to use. */
  ready?: Draft | null;
}

export class SessionDir implements Disposable {
  readonly fd: number;
  #id: string;
  #path: string;
  #lock: number | null = null;
  #isOpen = true;

  private constructor(layout: Layout, id: string, fd: number) {
    this.#id = id;
    this.#path = `${layout.sessions}/${id}`;
    this.fd = fd;
  }

  get id(): string {
    return this.#id;
  }

  /** For watching only: opening a file by this path would follow a swapped link. */
  get path(): string {
    return this.#path;
  }

  static open(layout: Layout, id: string): SessionDir {
    if (!isSessionId(id)) throw sessionNotFound(id);
    const sessions = openSessions(layout);
    if (sessions === null) throw sessionNotFound(id);
    try {
      return SessionDir.openIn(layout, sessions, id);
    } finally {
      closeSync(sessions);
    }
  }

  /** The same in an open sessions directory, for loops over all sessions. */
  static openIn(layout: Layout, sessions: number, id: string): SessionDir {
    try {
      return new SessionDir(layout, id, openDirectoryAt(sessions, id));
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOENT") throw sessionNotFound(id);
      if (errno !== "ELOOP" && errno !== "ENOTDIR") throw error;
      throw new HoltError("EDENIED", `session "${id}" is a symlink or a file, not a directory`, { cause: error });
    }
  }

  /**
   * Adopts an existing directory that has no record and no holder: a start that died early left it.
   */
  static create(layout: Layout, id: string): SessionDir {
    requireSessionId(id);
    const sessions = openOrCreateSessions(layout);
    try {
      for (;;) {
        const isNew = makeDirectoryAt(sessions, id);
        const dir = openIfStillThere(layout, sessions, id);
        if (dir === null) continue; // removed meanwhile
        if (!isNew) dir.#requireUnclaimed();
        return dir;
      }
    } finally {
      closeSync(sessions);
    }
  }

  /** Creates a directory without an id in run/, where no reader looks for sessions. */
  static createInRun(layout: Layout, name: string): SessionDir {
    const run = openOwnDirectory(layout.run);
    if (run === null) throw new SystemError("open", "ENOENT", layout.run);
    try {
      if (!makeDirectoryAt(run, name)) throw new SystemError("mkdirat", "EEXIST", name);
    } finally {
      closeSync(run);
    }
    return SessionDir.openInRun(layout, name);
  }

  static openInRun(layout: Layout, name: string): SessionDir {
    const run = openOwnDirectory(layout.run);
    if (run === null) throw new SystemError("open", "ENOENT", layout.run);
    try {
      const dir = new SessionDir(layout, name, openDirectoryAt(run, name));
      dir.#path = `${layout.run}/${name}`;
      return dir;
    } finally {
      closeSync(run);
    }
  }

  /** Sets the id that claimId() will claim. */
  setId(layout: Layout, id: string): void {
    this.#id = requireSessionId(id);
    this.#path = `${layout.sessions}/${id}`;
  }

  /**
   * Claims the id by renaming the directory into sessions/. The rename fails for a non-empty
   * directory, which is an existing session; an empty one is an unlocked claim, whose owner finds
   * that it was removed.
   */
  claimId(layout: Layout, name: string): void {
    const from = `${layout.run}/${name}`; // absolute, so renameat(2) ignores the descriptor
    const sessions = openSessions(layout);
    if (sessions === null) throw new SystemError("open", "ENOENT", layout.sessions);
    try {
      renameAt(sessions, from, this.#id);
    } catch (error) {
      const errno = errnoOf(error);
      throw errno === "ENOTEMPTY" || errno === "EEXIST" ? taken(this.#id) : error;
    } finally {
      closeSync(sessions);
    }
  }

  /**
   * Locks the directory for the holder. EEXISTS if the id was claimed or removed since create().
   */
  lock(): void {
    const fd = this.openIfThere("append.lock", "create");
    // A removed directory takes no new file.
    if (fd === null) throw taken(this.id);
    try {
      if (!lockWithRetry(fd) || this.#isClaimed() || !this.isInPlace()) throw taken(this.id);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#lock = fd;
  }

  /** False after a removal, which renames the directory first. */
  isInPlace(): boolean {
    return isSameFile(fileStat(this.fd), entryStat(this.path));
  }

  /** Whether a living holder has the lock. */
  isHeld(): boolean {
    const fd = this.openIfThere("append.lock", "read");
    if (fd === null) return false;
    try {
      return isLocked(fd);
    } finally {
      closeSync(fd);
    }
  }

  /** ENOENT passes through; a symlink or other non-regular file is EDENIED. */
  openArtifact(name: Artifact, mode: OpenMode): number {
    const fd = this.openIfThere(name, mode);
    if (fd === null) throw new SystemError("openat", "ENOENT", name);
    return fd;
  }

  openIfThere(name: Artifact, mode: OpenMode): number | null {
    try {
      return openIfThereAt(this.fd, name, mode);
    } catch (error) {
      if (!isNoRegularFile(errnoOf(error))) throw error;
      throw new HoltError("EDENIED", `${name} of session "${this.id}" is not a regular file`, { cause: error });
    }
  }

  has(name: Artifact): boolean {
    const fd = this.openIfThere(name, "read");
    if (fd !== null) closeSync(fd);
    return fd !== null;
  }

  writeAtomic(name: "meta.json" | "final.json", text: string, { sync, ready = null }: WriteOptions): void {
    using prepared = ready;
    // Throws for a symlink, which the rename would replace. With a ready draft the file is already
    // holt's own.
    if (prepared === null) this.has(name);
    using draft = prepared ?? new Draft(this.fd); // after has(): there may be only one free descriptor
    draft.put(bytesOf(text));
    draft.renameTo(name, { sync });
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#lock !== null) closeSync(this.#lock);
    closeSync(this.fd);
  }

  #requireUnclaimed(): void {
    try {
      if (this.#isClaimed() || this.isHeld()) throw taken(this.id);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  #isClaimed(): boolean {
    return this.has("meta.json") || this.has("final.json");
  }
}

/** Null if sessions/ does not exist. */
export function openSessions(layout: Layout): number | null {
  return openOwnDirectory(layout.sessions);
}

function openIfStillThere(layout: Layout, sessions: number, id: string): SessionDir | null {
  try {
    return SessionDir.openIn(layout, sessions, id);
  } catch (error) {
    if (error instanceof HoltError && error.code === "ENOTFOUND") return null;
    throw error;
  }
}

function taken(id: string): HoltError {
  return new HoltError("EEXISTS", `session id "${id}" is taken`, {
    hint: "choose another id, or leave it out to get one",
    details: { session_id: id },
  });
}

/**
 * Errors of open(2) for symlinks, directories, sockets and FIFOs; openFileAt reports EINVAL for
 * other types.
 */
function isNoRegularFile(errno: string | null): boolean {
  return errno === "ELOOP" || errno === "EISDIR" || errno === "ENXIO" || errno === "EINVAL";
}
