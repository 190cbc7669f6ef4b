/**
 * Subscriptions to all sessions, whoever started them: the directory of sessions is watched for new ones, and each that runs is followed to its
 * end, once for all subscribers. While there is none, nothing is watched.
 */
import { type FSWatcher, watch } from "node:fs";
import { abridged } from "../../client/abridged.ts";
import { follow } from "../../client/follow.ts";
import type { LocalSessions } from "../../client/local-sessions.ts";
import { isFinal, type Session } from "../../protocol/session.ts";
import { tellEnd, tellStart } from "./news.ts";
import type { Subscriber } from "./subscriber.ts";

/** A directory appears before its records do. */
const LOOK_AGAIN_MS = 20;
/** What the watch may have missed, on file systems that tell nothing. */
const RECHECK_MS = 2000;

export class AllSessions {
  readonly #sessions: LocalSessions;
  readonly #subscribers = new Set<Subscriber>();
  /** Those that run, each with the end of its following. */
  readonly #followed = new Map<string, AbortController>();
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

  #begin(): void {
    this.#known.clear();
    for (const id of this.#sessions.ids()) this.#known.add(id);
    for (const { session_id } of this.#sessions.living()) void this.#follow(session_id);
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
    for (const following of this.#followed.values()) following.abort();
    this.#followed.clear();
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
    for (const id of there) if (!this.#known.has(id)) this.#meet(id);
    for (const id of this.#known) if (!there.has(id)) this.#known.delete(id);
  }

  /** One whose records are not there yet is met the next time. */
  #meet(id: string): void {
    const session = this.#sessions.find(id);
    if (session === null) return;
    this.#known.add(id);
    void this.#announce(session);
  }

  async #announce(session: Session): Promise<void> {
    const shown = abridged(session);
    for (const subscriber of this.#subscribers) void tellStart(subscriber, shown);
    if (isFinal(session.state)) this.#tellEnd(session);
    else await this.#follow(session.session_id);
  }

  async #follow(id: string): Promise<void> {
    const following = new AbortController();
    this.#followed.set(id, following);
    const { layout } = this.#sessions;
    try {
      for await (const item of follow({ id, cursor: 0, signal: following.signal, layout, output: "none" }))
        if (item.type === "end") this.#tellEnd(this.#sessions.get(id));
    } catch {
      // It was removed as soon as it had ended.
    }
    if (this.#followed.get(id) === following) this.#followed.delete(id);
  }

  #tellEnd(session: Session): void {
    for (const subscriber of this.#subscribers) void tellEnd(subscriber, session);
  }
}
