/**
 * Subscriptions to all sessions, started by any program. Without a subscriber nothing is watched.
 *
 * Events of a session are sent in one order, whichever of its files is read first: created, command
 * running, ended.
 */
import { summaryOf } from "../../client/sessions/summary.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { LiveSessions } from "../sessions/live-sessions.ts";
import { notifyEnded, notifyRunning, notifyStarted } from "./session-events.ts";
import type { Subscriber } from "./subscriber.ts";

/** The last step that subscribers were sent. */
type Step = "created" | "running" | "ended";

/** The record names the command from the moment it runs. */
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
      for (const session of this.#live.follow((id, now) => this.#advance(id, now)))
        this.#steps.set(session.session_id, hasRun(session) ? "running" : "created");
    }
    this.#subscribers.add(subscriber);
    subscriber.signal.addEventListener("abort", () => this.#remove(subscriber), { once: true });
  }

  /**
   * Sends pending steps of a session before another subscription of the same connection sends its
   * end.
   */
  catchUp(session: Session): void {
    if (this.#subscribers.size > 0) this.#advance(session.session_id, session);
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#live.unfollow();
  }

  /** Sends the steps since the last one sent. */
  #advance(id: string, session: Session | null): void {
    if (session === null) {
      this.#steps.delete(id);
      return;
    }
    const before = this.#steps.get(id);
    if (before === "ended") return;
    const hasEnded = isFinal(session.state);
    const shown = summaryOf(session);
    for (const subscriber of this.#subscribers) {
      if (before === undefined) notifyStarted(subscriber, shown);
      if (before !== "running" && hasRun(session)) notifyRunning(subscriber, shown);
      if (hasEnded) notifyEnded(subscriber, session);
    }
    this.#steps.set(id, hasEnded ? "ended" : hasRun(session) ? "running" : "created");
  }
}
