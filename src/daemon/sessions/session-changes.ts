/**
 * Reports which sessions changed since the last call, by inotify on sessions/ and on each session
 * directory that may change.
 */
import * as inotify from "../../platform/fs/inotify.ts";
import { POLLIN, poller, type Watch } from "../../platform/native/poller.ts";
import { isSessionId } from "../../protocol/types/session-id.ts";

const CREATED = inotify.IN_CREATE | inotify.IN_MOVED_TO;
const REMOVED = inotify.IN_DELETE | inotify.IN_MOVED_FROM;
const MOVED_AWAY = inotify.IN_DELETE_SELF | inotify.IN_MOVE_SELF;
/** Closing the lock reveals a killed holder. IN_MODIFY would fire for all output. */
const SESSION_EVENTS = inotify.IN_MOVED_TO | inotify.IN_CLOSE_WRITE;
const LOCK = "append.lock";
const WATCHED_FILES: readonly string[] = ["meta.json", "final.json", LOCK];
/**
 * The kernel reports the close just before it frees the lock: the session is reported again for
 * this long.
 */
const CLOSING_MS = 1000;
/** Polling interval while there is a subscriber. */
const RECHECK_MS = 1000;

export interface Changes {
  removed: Set<string>;
  /** Created or changed; may contain unchanged sessions. */
  changed: Set<string>;
}

export class SessionChanges implements Disposable {
  readonly #directory: string;
  #inotify: inotify.Inotify | null = null;
  /** The watch of sessions/; null if it is not watched. */
  #root: number | null = null;
  readonly #ids = new Map<number, string>();
  readonly #watches = new Map<string, number>();
  /** Beyond max_user_watches: reported at each call. */
  readonly #unwatched = new Set<string>();
  /** Sessions whose lock was closed, and until when it may still be held. */
  readonly #closing = new Map<string, number>();
  #wake: (() => void) | null = null;
  #queue: Watch | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  [Symbol.dispose](): void {
    this.wakeBy(null);
    this.#inotify?.[Symbol.dispose]();
  }

  /** Afterwards all sessions must be read again. */
  restart(): void {
    this.#queue?.stop();
    this.#queue = null;
    this.#inotify?.[Symbol.dispose]();
    for (const each of [this.#ids, this.#watches, this.#unwatched, this.#closing]) each.clear();
    this.#inotify = inotify.Inotify.open();
    this.#root = this.#inotify?.add(this.#directory, CREATED | REMOVED | MOVED_AWAY) ?? null;
    this.#listen();
  }

  /** Null if changes were lost: call `restart`. */
  take(): Changes | null {
    const events = this.#root === null ? null : (this.#inotify?.read() ?? null);
    if (events === null) return null;
    const changes: Changes = { removed: new Set(), changed: new Set(this.#unwatched) };
    for (const event of events) {
      if (event.watch !== this.#root) this.#inSession(event, changes);
      else if ((event.mask & MOVED_AWAY) !== 0) return null;
      else this.#inSessions(event, changes);
    }
    for (const [id, until] of this.#closing) {
      changes.changed.add(id);
      if (performance.now() > until) this.#closing.delete(id);
    }
    return changes;
  }

  watch(id: string): void {
    if (this.#inotify === null || this.#watches.has(id)) return;
    const watch = this.#inotify.add(`${this.#directory}/${id}`, SESSION_EVENTS);
    if (watch === null) this.#unwatched.add(id);
    else {
      this.#unwatched.delete(id);
      this.#watches.set(id, watch);
      this.#ids.set(watch, id);
    }
  }

  unwatch(id: string): void {
    this.#unwatched.delete(id);
    this.#closing.delete(id);
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    this.#inotify?.remove(watch);
    this.#watches.delete(id);
    this.#ids.delete(watch);
  }

  /** Calls `wake` when events wait, and periodically; null: stop. */
  wakeBy(wake: (() => void) | null): void {
    this.#queue?.stop();
    this.#queue = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#wake = wake;
    this.#timer = wake === null ? null : setInterval(wake, RECHECK_MS);
    this.#listen();
  }

  #listen(): void {
    if (this.#wake !== null && this.#inotify !== null)
      this.#queue = poller().watch(this.#inotify.fd, POLLIN, this.#wake);
  }

  #inSession({ watch, name }: inotify.DirectoryChange, { changed }: Changes): void {
    const id = this.#ids.get(watch);
    if (id === undefined || !WATCHED_FILES.includes(name)) return;
    changed.add(id);
    if (name === LOCK) this.#closing.set(id, performance.now() + CLOSING_MS);
  }

  #inSessions({ mask, name }: inotify.DirectoryChange, { removed, changed }: Changes): void {
    if (!isSessionId(name)) return;
    // A new name too: it may have replaced an empty directory by rename, which is no event of its own.
    this.unwatch(name);
    if ((mask & CREATED) !== 0) changed.add(name);
    else {
      removed.add(name);
      changed.delete(name);
    }
  }
}
