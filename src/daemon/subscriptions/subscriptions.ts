/**
 * Manages the subscriptions of all connections. A subscription ends with its connection, and none is
 * stored: after a lost connection or a new daemon, the client subscribes again from the cursor up to
 * which it has received the output.
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

/** Each subscription to a session opens and reads the session's files for itself. */
const MAX_PER_CONNECTION = 64;

const DEFAULT_EVENTS: readonly EventKind[] = ["started", "output", "state_changed", "exited"];

export type Subscription = Omit<Parsed<"session.subscribe">, "events"> & { events?: readonly EventKind[] | undefined };

export class Subscriptions {
  readonly #sessions: LocalSessions;
  readonly #all: AllSessions;
  readonly #byConnection = new WeakMap<NotificationSink, Map<string, Subscriber>>();
  readonly #share = new FairShare();
  #lastId = 0;

  constructor(sessions: LocalSessions, live: LiveSessions) {
    this.#sessions = sessions;
    this.#all = new AllSessions(live);
  }

  add(
    connection: NotificationSink,
    { session_id, cursor, events = DEFAULT_EVENTS }: Subscription,
  ): Result<"session.subscribe"> {
    this.requireRoom(connection);
    const ownSubscribers = this.#byConnection.get(connection) ?? new Map<string, Subscriber>();
    this.#byConnection.set(connection, ownSubscribers);
    const subscriber = new Subscriber(`s${++this.#lastId}`, connection, events);
    const removeSubscriber = (): void => void ownSubscribers.delete(subscriber.id);
    const from = session_id === undefined ? null : this.#begin(session_id, cursor, subscriber, removeSubscriber);
    if (session_id === undefined) this.#all.add(subscriber);
    ownSubscribers.set(subscriber.id, subscriber);
    // Aborts on unsubscribe, a closed connection and unread notifications. At the end of the session
    // it does not: #begin then removes the subscriber.
    subscriber.signal.addEventListener("abort", removeSubscriber, { once: true });
    return { subscription_id: subscriber.id, cursor: from };
  }

  /** Throws if the connection has no room for another; checked before a start that subscribes. */
  requireRoom(connection: NotificationSink): void {
    if ((this.#byConnection.get(connection)?.size ?? 0) < MAX_PER_CONNECTION) return;
    throw new HoltError("ERLIMIT", `too many subscriptions on this connection: ${MAX_PER_CONNECTION}`, {
      hint: "end one with session.unsubscribe, or subscribe to all sessions at once",
    });
  }

  /** Returns whether it existed. */
  remove(connection: NotificationSink, id: string): boolean {
    const subscriber = this.#byConnection.get(connection)?.get(id);
    subscriber?.end();
    return subscriber !== undefined;
  }

  /** Starts after the answer is sent: the client does not know the subscription before. */
  #begin(id: string, cursor: string | undefined, subscriber: Subscriber, removeSubscriber: () => void): string {
    using reader = this.#sessions.reader(id);
    reader.session(); // throws if the session's records cannot be read, so that the request fails
    const from = cursor === undefined ? reader.end() : Number(cursor);
    setTimeout(() => {
      const following = followSession({
        sessions: this.#sessions,
        id,
        cursor: from,
        subscriber,
        share: this.#share,
        // A subscription of the same connection to all sessions may lag behind this one. Its
        // session.started must not follow this one's session.exited.
        justBeforeEnd: (session) => this.#all.catchUp(session),
      });
      void following.catch(() => {}).finally(removeSubscriber); // a session removed meanwhile has no more events
    }, 0);
    return String(from);
  }
}
