/**
 * Subscriptions to all sessions, whichever program started them. Without a subscriber nothing is followed.
 *
 * A session goes through its steps here, in one order, whichever of its files is read first: it is there, its command runs, it has ended.
 */
import { summaryOf } from "../../client/sessions/summary.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { LiveSessions } from "../sessions/live-sessions.ts";
import { notifyEnded, notifyRunning, notifyStarted } from "./session-events.ts";
import type { Subscriber } from "./subscriber.ts";

/** The last that subscribers were told of a session. */
type Step = "there" | "running" | "ended";

/** Its record names its command from the moment in which that runs. */
const hasRun = ({ started_at }: Session): boolean => started_at !== null;

export class AllSessions {
  readonly #live: LiveSessions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #steps = new Map<string, Step>();

  constructor(live: LiveSessions) {
    this.#live = live;
  }

  add(subscriber: Subscriber): void {
    if (this.#subscribers.size === 0) {
      this.#steps.clear();
      for (const session of this.#live.follow((id, now) => this.#proceed(id, now)))
        this.#steps.set(session.session_id, hasRun(session) ? "running" : "there");
    }
    this.#subscribers.add(subscriber);
    subscriber.signal.addEventListener("abort", () => this.#remove(subscriber), { once: true });
  }

  /** Tells what is not told yet of a session: another subscription of the same connection is about to tell its end. */
  catchUp(session: Session): void {
    if (this.#subscribers.size > 0) this.#proceed(session.session_id, session);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#live.unfollow();
  }

  /** Sends the steps since the last one that was sent. */
  #proceed(id: string, session: Session | null): void {
    if (session === null) {
      this.#steps.delete(id);
      return;
    }
    const before = this.#steps.get(id);
    if (before === "ended") return;
    const isOver = isFinal(session.state);
    const shown = summaryOf(session);
    for (const subscriber of this.#subscribers) {
      if (before === undefined) notifyStarted(subscriber, shown);
      if (before !== "running" && hasRun(session)) notifyRunning(subscriber, shown);
      if (isOver) notifyEnded(subscriber, session);
    }
    this.#steps.set(id, isOver ? "ended" : hasRun(session) ? "running" : "there");
  }
}
