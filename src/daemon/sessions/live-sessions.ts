/**
 * The current sessions and their states, kept up to date by inotify: all are read once, then each
 * one that changes.
 *
 * Each query first takes the events that wait in the kernel, so its answer includes everything done
 * before it, at a cost independent of the number of sessions. Where directories cannot be watched
 * (another system, max_user_watches) they are read again for each query.
 */
import { summaryOf } from "../../client/sessions/summary.ts";
import { idsInHistory, listFromKnown } from "../../client/sessions/history.ts";
import { hasRecordedEnd, type Listing, type SessionFilter } from "../../client/sessions/listing.ts";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { isSame } from "../../platform/process/processes.ts";
import { entryStat } from "../../platform/fs/stat.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { newestFirst } from "../../transcript/read/catalog.ts";
import { SessionChanges } from "./session-changes.ts";

export interface SessionCounts {
  starting: number;
  running: number;
  ended: number;
  lost: number;
}

/** Called with a session that began, changed or ended; with null once it is removed. */
type Follower = (id: string, session: Session | null) => void;

interface OpenSession {
  session: Session;
  /** Size of events.jsonl when the session was read. */
  events: number;
}

export class LiveSessions implements Disposable {
  readonly #sessions: LocalSessions;
  readonly #changes: SessionChanges;
  #isRead = false;
  /** Running and lost sessions. */
  readonly #open = new Map<string, OpenSession>();
  /** `#open` sorted, newest first; null when out of date. */
  #sorted: Session[] | null = null;
  #ended = new Set<string>();
  /** Ended or removed since holt.db was last updated. */
  readonly #changed = new Set<string>();
  readonly #counts: SessionCounts = { starting: 0, running: 0, ended: 0, lost: 0 };
  #follower: Follower | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
    this.#changes = new SessionChanges(sessions.layout.sessions);
  }

  [Symbol.dispose](): void {
    this.#changes[Symbol.dispose]();
  }

  /** If not null, await it before the first query: thousands of sessions are read in turns. */
  catchUp(): Promise<void> | null {
    return this.#isRead ? null : this.#sessions.catchUp();
  }

  counts(): SessionCounts {
    this.#update();
    this.#counts.ended = this.#ended.size;
    return { ...this.#counts };
  }

  running(): Session[] {
    this.#update();
    return [...this.#open.values()].map((open) => this.#current(open)).filter(({ state }) => !isFinal(state));
  }

  /** Commands are shortened to a bounded length. */
  list(filter: SessionFilter): Listing {
    this.#update();
    this.#sorted ??= newestFirst([...this.#open.values()].map(({ session }) => session));
    const known = { open: this.#sorted, ended: this.#ended, changed: this.#changed };
    const listing = listFromKnown(this.#sessions.layout, known, { filter, detail: "brief" });
    if (listing === null) return this.#sessions.briefListing(filter);
    this.#changed.clear();
    const sessions = listing.sessions.map((session) => {
      const open = this.#open.get(session.session_id);
      return open === undefined ? session : this.#current(open);
    });
    return { ...listing, sessions };
  }

  /** Starts to report changes; returns the running sessions. */
  follow(follower: Follower): Session[] {
    this.#update();
    this.#update(); // sessions created while all were read have events as well
    this.#follower = follower;
    this.#changes.wakeBy(() => this.#update());
    return [...this.#open.values()].map(({ session }) => session).filter(({ state }) => !isFinal(state));
  }

  unfollow(): void {
    this.#follower = null;
    this.#changes.wakeBy(null);
  }

  /**
   * Called periodically: a holder that died while its directory was added to the watch left no
   * event.
   */
  recheck(): void {
    if (!this.#isRead) return;
    this.#update();
    for (const [id, { session }] of this.#open) if (!isFinal(session.state) && !isSame(session.holder)) this.#read(id);
  }

  #update(): void {
    const changes = this.#isRead ? this.#changes.take() : null;
    if (changes === null) return this.#readAll();
    for (const id of changes.removed) this.#forget(id);
    for (const id of changes.changed) this.#read(id);
  }

  #readAll(): void {
    this.#changes.restart();
    const before = this.#ended;
    const ids = new Set(this.#sessions.ids());
    this.#ended = idsInHistory(this.#sessions.layout);
    for (const id of [...before, ...this.#open.keys()]) if (!ids.has(id)) this.#forget(id);
    for (const id of ids) if (!this.#ended.has(id) || (this.#isRead && !before.has(id))) this.#read(id);
    this.#isRead = true;
  }

  /** Watching before reading misses no change. */
  #read(id: string): void {
    this.#changes.watch(id);
    const events = this.#sizeOf(id, "events.jsonl");
    const session = this.#find(id);
    const before = this.#open.get(id)?.session.state;
    this.#drop(id);
    if (session === null) return;
    if (hasRecordedEnd(session)) {
      this.#ended.add(id);
      this.#changed.add(id);
      this.#changes.unwatch(id);
    } else {
      this.#ended.delete(id);
      this.#open.set(id, { session, events });
      this.#sorted = null;
      this.#counts[countOf(session)]++;
    }
    if (before === undefined || !isFinal(before)) this.#follower?.(id, session);
  }

  #find(id: string): Session | null {
    try {
      const session = this.#sessions.find(id);
      return session === null ? null : summaryOf(session);
    } catch {
      return null; // damaged, or another user's
    }
  }

  #forget(id: string): void {
    this.#changes.unwatch(id);
    this.#drop(id);
    if (this.#ended.delete(id)) this.#changed.add(id);
    this.#follower?.(id, null);
  }

  #drop(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.#sorted = null;
    this.#counts[countOf(open.session)]--;
  }

  /** Adds what changes without a watched event: the output size and the events in events.jsonl. */
  #current(open: OpenSession): Session {
    const { session } = open;
    const { session_id: id, state, truncated } = session;
    const events = this.#sizeOf(id, "events.jsonl");
    if (events === open.events && !truncated && !isFinal(state))
      return { ...session, output_bytes: this.#sizeOf(id, "output.bin") };
    const now = this.#find(id);
    if (now?.state !== state) return session; // the next update takes it, with its count
    open.session = now;
    open.events = events;
    return now;
  }

  #sizeOf(id: string, name: string): number {
    return entryStat(`${this.#sessions.layout.sessions}/${id}/${name}`)?.size ?? 0;
  }
}

function countOf({ state }: Session): "starting" | "running" | "lost" {
  return state === "starting" || state === "running" ? state : "lost";
}
