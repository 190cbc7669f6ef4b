/** Who is told what. A subscription ends with its connection; nothing of it outlives the daemon, as a client goes on from its cursor. */
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import type { Parsed, Result } from "../../protocol/methods/table.schema.ts";
import type { NotificationSink } from "../../surfaces/jsonrpc/calls.ts";
import type { LiveSessions } from "../sessions/live-sessions.ts";
import { AllSessions } from "./all-sessions.ts";
import { FairShare } from "./fair-share.ts";
import { followSession } from "./one-session.ts";
import { Subscriber, type EventKind } from "./subscriber.ts";

/** Of one connection: each follows a session on its own. */
const MOST = 64;

const USUAL: readonly EventKind[] = ["started", "output", "state_changed", "exited"];

export type Subscription = Omit<Parsed<"session.subscribe">, "events"> & { events?: readonly EventKind[] | undefined };

export class Subscriptions {
  readonly #sessions: LocalSessions;
  readonly #all: AllSessions;
  readonly #of = new WeakMap<NotificationSink, Map<string, Subscriber>>();
  readonly #share = new FairShare();
  #lastId = 0;

  constructor(sessions: LocalSessions, live: LiveSessions) {
    this.#sessions = sessions;
    this.#all = new AllSessions(live);
  }

  add(listener: NotificationSink, { session_id, cursor, events = USUAL }: Subscription): Result<"session.subscribe"> {
    this.requireRoom(listener);
    const mine = this.#of.get(listener) ?? new Map<string, Subscriber>();
    this.#of.set(listener, mine);
    const subscriber = new Subscriber(`s${++this.#lastId}`, listener, events);
    const from =
      session_id === undefined ? null : this.#begin(session_id, cursor, subscriber, () => mine.delete(subscriber.id));
    if (session_id === undefined) this.#all.add(subscriber);
    mine.set(subscriber.id, subscriber);
    subscriber.signal.addEventListener("abort", () => mine.delete(subscriber.id), { once: true });
    return { subscription_id: subscriber.id, cursor: from };
  }

  /** For one more: whoever starts something to be told of it asks before. */
  requireRoom(listener: NotificationSink): void {
    if ((this.#of.get(listener)?.size ?? 0) < MOST) return;
    throw new HoltError("ERLIMIT", `this connection has ${MOST} subscriptions`, {
      hint: "end one with session.unsubscribe, or subscribe to all sessions at once",
    });
  }

  /** Whether there was one. */
  remove(listener: NotificationSink, id: string): boolean {
    const subscriber = this.#of.get(listener)?.get(id);
    subscriber?.end();
    return subscriber !== undefined;
  }

  /** Once the answer is out, as nobody knows the subscription before. */
  #begin(id: string, cursor: string | undefined, subscriber: Subscriber, over: () => void): string {
    using reader = this.#sessions.reader(id);
    reader.session();
    const from = cursor === undefined ? reader.end() : Number(cursor);
    setTimeout(() => {
      const telling = followSession({
        sessions: this.#sessions,
        id,
        cursor: from,
        subscriber,
        share: this.#share,
        justBeforeEnd: (session) => this.#all.catchUp(session),
      });
      void telling.catch(() => {}).finally(over); // a session removed meanwhile has nothing more to tell
    }, 0);
    return String(from);
  }
}
