/**
 * Which sessions there are and how they fare, kept up by what changes: read once, then again one by one as inotify names them. Each question first takes
 * the changes that wait in the kernel, so its answer has all that anyone did before it, and costs the same however many sessions live.
 *
 * Where directories cannot be watched (another system, max_user_watches), they are read anew for each question.
 */
import { abridged } from "../client/abridged.ts";
import { idsInHistory, listFromKnown } from "../client/history.ts";
import { hasRecordedEnd, type Listing, type Wanted } from "../client/listing.ts";
import type { LocalSessions } from "../client/local-sessions.ts";
import * as inotify from "../platform/inotify.ts";
import { POLLIN, poller, type Watch } from "../platform/poller.ts";
import { entryStat } from "../platform/stat.ts";
import { isFinal, type Session } from "../protocol/session.ts";
import { isSessionId } from "../protocol/session-id.ts";
import { newestFirst } from "../transcript/catalog.ts";

const CAME = inotify.IN_CREATE | inotify.IN_MOVED_TO;
const LEFT = inotify.IN_DELETE | inotify.IN_MOVED_FROM;
const MOVED_AWAY = inotify.IN_DELETE_SELF | inotify.IN_MOVE_SELF;
/** The kernel closes the lock of a holder that was killed. IN_MODIFY would come with each byte of output. */
const OF_A_SESSION = inotify.IN_MOVED_TO | inotify.IN_CLOSE_WRITE;
const LOCK = "append.lock";
const TELLING: readonly string[] = ["meta.json", "final.json", LOCK];
/** The kernel tells that a file is closed just before it frees the lock. */
const CLOSING_MS = 1000;
/** For a follower, where no event comes. */
const RECHECK_MS = 1000;

export interface SessionCounts {
  starting: number;
  running: number;
  ended: number;
  lost: number;
}

/** Called with a session that began, changed or ended, and with null once it is gone. */
type Follower = (id: string, session: Session | null) => void;

interface Open {
  session: Session;
  /** The size of events.jsonl when the session was read. */
  events: number;
}

export class LiveSessions implements Disposable {
  readonly #sessions: LocalSessions;
  #inotify: inotify.Inotify | null = null;
  /** Of sessions/; null where it is not watched. */
  #root: number | null = null;
  #isRead = false;
  /** Those that live, and those that were lost. */
  readonly #open = new Map<string, Open>();
  /** The same, newest first; null when one has come or gone since. */
  #sorted: Session[] | null = null;
  #ended = new Set<string>();
  /** Ended or gone since holt.db was last brought up to date. */
  readonly #changed = new Set<string>();
  readonly #counts: SessionCounts = { starting: 0, running: 0, ended: 0, lost: 0 };
  readonly #ids = new Map<number, string>();
  readonly #watches = new Map<string, number>();
  readonly #unwatched = new Set<string>();
  /** Sessions whose lock was closed, and until when it may still be held. */
  readonly #closing = new Map<string, number>();
  #follower: Follower | null = null;
  #queue: Watch | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  [Symbol.dispose](): void {
    this.unfollow();
    this.#inotify?.[Symbol.dispose]();
  }

  /** To be awaited before the first question, where it is not null: thousands are read in turns. */
  catchUp(): Promise<void> | null {
    return this.#isRead ? null : this.#sessions.catchUp();
  }

  counts(): SessionCounts {
    this.#look();
    this.#counts.ended = this.#ended.size;
    return { ...this.#counts };
  }

  living(): Session[] {
    this.#look();
    return [...this.#open.values()].map((open) => this.#current(open)).filter(({ state }) => !isFinal(state));
  }

  /** With commands of a bounded length. */
  list(wanted: Wanted): Listing {
    this.#look();
    this.#sorted ??= newestFirst([...this.#open.values()].map(({ session }) => session));
    const known = { open: this.#sorted, ended: this.#ended, changed: this.#changed };
    const listing = listFromKnown(this.#sessions.layout, known, { wanted, detail: "brief" });
    if (listing === null) return this.#sessions.briefly(wanted);
    this.#changed.clear();
    const sessions = listing.sessions.map((session) => {
      const open = this.#open.get(session.session_id);
      return open === undefined ? session : abridged(this.#current(open));
    });
    return { ...listing, sessions };
  }

  /** From now on; returns those that live. */
  follow(follower: Follower): Session[] {
    this.#look();
    this.#look(); // what came while all were read has an event as well
    this.#follower = follower;
    this.#listen();
    this.#timer = setInterval(() => this.#look(), RECHECK_MS);
    return [...this.#open.values()].map(({ session }) => session).filter(({ state }) => !isFinal(state));
  }

  unfollow(): void {
    this.#follower = null;
    this.#queue?.stop();
    this.#queue = null;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #listen(): void {
    if (this.#follower === null || this.#inotify === null) return;
    this.#queue = poller().watch(this.#inotify.fd, POLLIN, () => this.#look());
  }

  #look(): void {
    const changes = this.#root === null ? null : (this.#inotify?.read() ?? null);
    if (changes === null || !this.#take(changes)) this.#readAll();
  }

  /** False where sessions/ itself is another one. */
  #take(changes: readonly inotify.Change[]): boolean {
    const told = new Set(this.#unwatched);
    for (const { watch, mask, name } of changes) {
      if (watch !== this.#root) {
        const id = this.#ids.get(watch);
        if (id === undefined || !TELLING.includes(name)) continue;
        told.add(id);
        if (name === LOCK) this.#closing.set(id, performance.now() + CLOSING_MS);
      } else if ((mask & MOVED_AWAY) !== 0) return false;
      else if ((mask & CAME) !== 0 && isSessionId(name)) {
        this.#unwatch(name); // one that was renamed over an empty one left no event
        told.add(name);
      } else if ((mask & LEFT) !== 0) {
        this.#forget(name);
        told.delete(name);
      }
    }
    for (const id of told) this.#read(id);
    for (const [id, until] of this.#closing) {
      if (!told.has(id)) this.#read(id);
      const { state } = this.#open.get(id)?.session ?? {};
      if (state === undefined || isFinal(state) || performance.now() > until) this.#closing.delete(id);
    }
    return true;
  }

  #readAll(): void {
    const { layout } = this.#sessions;
    this.#queue?.stop();
    this.#inotify?.[Symbol.dispose]();
    for (const each of [this.#ids, this.#watches, this.#unwatched, this.#closing]) each.clear();
    this.#inotify = inotify.Inotify.open();
    this.#root = this.#inotify?.add(layout.sessions, CAME | LEFT | MOVED_AWAY) ?? null;
    this.#listen();
    const before = this.#ended;
    const ids = new Set(this.#sessions.ids());
    this.#ended = idsInHistory(layout);
    for (const id of [...before, ...this.#open.keys()]) if (!ids.has(id)) this.#forget(id);
    for (const id of ids) if (!this.#ended.has(id) || (this.#isRead && !before.has(id))) this.#read(id);
    this.#isRead = true;
  }

  /** What is watched before it is read changes no more unseen. */
  #read(id: string): void {
    this.#watch(id);
    const events = this.#sizeOf(id, "events.jsonl");
    const session = this.#find(id);
    const before = this.#open.get(id)?.session.state;
    this.#drop(id);
    if (session === null) return;
    if (hasRecordedEnd(session)) {
      this.#ended.add(id);
      this.#changed.add(id);
      this.#unwatch(id);
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
      return this.#sessions.find(id);
    } catch {
      return null; // damaged, or not ours
    }
  }

  #forget(id: string): void {
    this.#unwatch(id);
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

  #watch(id: string): void {
    if (this.#inotify === null || this.#watches.has(id)) return;
    const watch = this.#inotify.add(`${this.#sessions.layout.sessions}/${id}`, OF_A_SESSION);
    if (watch === null) this.#unwatched.add(id);
    else {
      this.#unwatched.delete(id);
      this.#watches.set(id, watch);
      this.#ids.set(watch, id);
    }
  }

  #unwatch(id: string): void {
    this.#unwatched.delete(id);
    this.#closing.delete(id);
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    this.#inotify?.remove(watch);
    this.#watches.delete(id);
    this.#ids.delete(watch);
  }

  /** With what changes without an event that is watched: what it has printed, and what events.jsonl says of it. */
  #current(open: Open): Session {
    const { session } = open;
    const { session_id: id, state, truncated } = session;
    const events = this.#sizeOf(id, "events.jsonl");
    if (events === open.events && !truncated && !isFinal(state))
      return { ...session, output_bytes: this.#sizeOf(id, "output.bin") };
    const now = this.#find(id);
    if (now?.state !== state) return session; // the next look takes it, with its count
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
