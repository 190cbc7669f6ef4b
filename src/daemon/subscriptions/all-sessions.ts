/**
 * Subscriptions to all sessions, whichever program started them: the directory of sessions is watched for new ones, and each is followed to its
 * end, once for all subscribers. Without a subscriber nothing is watched.
 *
 * A session goes through its steps here, in one order, whichever of its files is read first: it is there, its command runs, it has ended.
 */
import { type FSWatcher, watch } from "node:fs";
import { abridged } from "../../client/abridged.ts";
import { follow, untilChanged } from "../../client/follow.ts";
import type { LocalSessions } from "../../client/local-sessions.ts";
import { isFinal, type Session } from "../../protocol/session.ts";
import { tellEnd, tellRunning, tellStart } from "./news.ts";
import type { Subscriber } from "./subscriber.ts";

/** A directory appears before its records do. */
const LOOK_AGAIN_MS = 20;
/** The watch may miss a change, on file systems without file events. */
const RECHECK_MS = 2000;

/** A session that has not ended, as far as subscribers know. */
interface Known {
  isRunning: boolean;
  readonly following: AbortController;
}

/** Its record names its command from the moment in which that runs. */
const hasRun = ({ started_at }: Session): boolean => started_at !== null;

export class AllSessions {
  readonly #sessions: LocalSessions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #living = new Map<string, Known>();
  /** Every session that subscribers know of, or that was there before them. */
  readonly #known = new Set<string>();
  #watcher: FSWatcher | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(sessions: LocalSessions) {
    this.#sessions = sessions;
  }

  add(subscriber: Subscriber): void {
    if (this.#subscribers.size === 0) this.#begin();
    this.#subscribers.add(subscriber);
    subscriber.signal.addEventListener("abort", () => this.#remove(subscriber), { once: true });
  }

  /** Tells what is not told yet of a session: another subscription of the same connection is about to tell its end. */
  catchUp(session: Session): void {
    if (this.#subscribers.size === 0) return;
    this.#meet(session);
    this.#proceed(session);
  }

  #begin(): void {
    this.#known.clear();
    for (const id of this.#sessions.ids()) this.#known.add(id);
    for (const session of this.#sessions.living()) {
      this.#known.add(session.session_id);
      this.#follow(session, hasRun(session));
    }
    this.#watcher = watch(this.#sessions.layout.sessions, { persistent: false }, () => this.#lookIn(LOOK_AGAIN_MS));
    this.#watcher.on("error", () => {});
    this.#lookIn(RECHECK_MS);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    this.#watcher?.close();
    this.#watcher = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const { following } of this.#living.values()) following.abort();
    this.#living.clear();
  }

  #lookIn(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#look();
      this.#lookIn(RECHECK_MS);
    }, ms);
  }

  #look(): void {
    const there = new Set(this.#sessions.ids());
    for (const id of there) {
      if (this.#known.has(id)) continue;
      const session = this.#sessions.find(id); // without records yet, it is met the next time
      if (session !== null) this.#meet(session);
    }
    for (const id of this.#known) if (!there.has(id)) this.#known.delete(id);
  }

  #meet(session: Session): void {
    if (this.#known.has(session.session_id)) return;
    this.#known.add(session.session_id);
    const shown = abridged(session);
    for (const subscriber of this.#subscribers) tellStart(subscriber, shown);
    this.#follow(session, false);
  }

  #follow(session: Session, isRunning: boolean): void {
    const { session_id: id } = session;
    const known = { isRunning, following: new AbortController() };
    this.#living.set(id, known);
    this.#proceed(session);
    if (!this.#living.has(id)) return;
    const forget = (): void => {
      if (this.#living.get(id) === known) this.#living.delete(id);
    };
    // A session that was removed as soon as it had ended has no more to tell.
    void this.#toItsEnd(id, known).catch(forget);
  }

  /** Sends the state changes since the last one that was sent. */
  #proceed(session: Session): void {
    const known = this.#living.get(session.session_id);
    if (known === undefined) return;
    if (!known.isRunning && hasRun(session)) {
      known.isRunning = true;
      const shown = abridged(session);
      for (const subscriber of this.#subscribers) tellRunning(subscriber, shown);
    }
    if (!isFinal(session.state)) return;
    this.#living.delete(session.session_id);
    known.following.abort();
    for (const subscriber of this.#subscribers) tellEnd(subscriber, session);
  }

  async #toItsEnd(id: string, known: Known): Promise<void> {
    const { layout } = this.#sessions;
    const { signal } = known.following;
    const hasNews = (): boolean => {
      const session = this.#sessions.get(id);
      return hasRun(session) || isFinal(session.state);
    };
    while (!known.isRunning && !signal.aborted) {
      await untilChanged({ layout, id, signal, hasNews });
      if (!signal.aborted) this.#proceed(this.#sessions.get(id));
    }
    for await (const item of follow({ id, cursor: 0, signal, layout, output: "none" }))
      if (item.type === "end") this.#proceed(this.#sessions.get(id));
  }
}
