/**
 * Manages the subscriptions of all connections. A subscription ends with its connection; none
 * outlives the daemon, as clients resume from their cursors.
 */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import type { NotificationSink } from "../../surfaces/jsonrpc/calls.ts";
import type { LiveSessions } from "../sessions/live-sessions.ts";
import { AllSessions } from "./all-sessions.ts";
import { FairShare } from "./fair-share.ts";
import { followSession } from "./one-session.ts";
import { Subscriber, type EventKind } from "./subscriber.ts";

/** Limit per connection: each subscription follows a session on its own. */
const MAX_PER_CONNECTION = 64;

const DEFAULT_EVENTS: readonly EventKind[] = ["started", "output", "state_changed", "exited"];

export type Subscription = Omit<Parsed<"session.subscribe">, "events"> & { events?: readonly EventKind[] | undefined };

export class Subscriptions {
  readonly #sessions: LocalSessions;
  readonly #all: AllSessions;
  readonly #byListener = new WeakMap<NotificationSink, Map<string, Subscriber>>();
  readonly #share = new FairShare();
  #lastId = 0;

  constructor(sessions: LocalSessions, live: LiveSessions) {
    this.#sessions = sessions;
    this.#all = new AllSessions(live);
  }

  add(
    listener: NotificationSink,
    { session_id, cursor, events = DEFAULT_EVENTS }: Subscription,
  ): Result<"session.subscribe"> {
    this.requireRoom(listener);
    const ownSubscribers = this.#byListener.get(listener) ?? new Map<string, Subscriber>();
    this.#byListener.set(listener, ownSubscribers);
    const subscriber = new Subscriber(`s${++this.#lastId}`, listener, events);
    const from =
      session_id === undefined
        ? null
        : this.#begin(session_id, cursor, subscriber, () => ownSubscribers.delete(subscriber.id));
    if (session_id === undefined) this.#all.add(subscriber);
    ownSubscribers.set(subscriber.id, subscriber);
    subscriber.signal.addEventListener("abort", () => ownSubscribers.delete(subscriber.id), { once: true });
    return { subscription_id: subscriber.id, cursor: from };
  }

  /** Throws if the connection has no room for another; checked before a start that subscribes. */
  requireRoom(listener: NotificationSink): void {
    if ((this.#byListener.get(listener)?.size ?? 0) < MAX_PER_CONNECTION) return;
    throw new HoltError("ERLIMIT", `too many subscriptions on this connection: ${MAX_PER_CONNECTION}`, {
      hint: "end one with session.unsubscribe, or subscribe to all sessions at once",
    });
  }

  /** Returns whether it existed. */
  remove(listener: NotificationSink, id: string): boolean {
    const subscriber = this.#byListener.get(listener)?.get(id);
    subscriber?.end();
    return subscriber !== undefined;
  }

  /** Starts after the answer is sent: the client does not know the subscription before. */
  #begin(id: string, cursor: string | undefined, subscriber: Subscriber, removeSubscriber: () => void): string {
    using reader = this.#sessions.reader(id);
    reader.session();
    const from = cursor === undefined ? reader.end() : Number(cursor);
    setTimeout(() => {
      const following = followSession({
        sessions: this.#sessions,
        id,
        cursor: from,
        subscriber,
        share: this.#share,
        justBeforeEnd: (session) => this.#all.catchUp(session),
      });
      void following.catch(() => {}).finally(removeSubscriber); // a session removed meanwhile has no more events
    }, 0);
    return String(from);
  }
}
