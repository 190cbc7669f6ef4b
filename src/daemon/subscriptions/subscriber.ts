/**
 * One subscription of one connection: its events and its queue. Each lags on its own: a slow client
 * delays no other.
 */
import type {
  Notification,
  NotificationParams,
  Subscribable,
} from "../../protocol/methods/rows/notifications.schema.ts";
import type { NotificationSink } from "../../surfaces/jsonrpc/calls.ts";

type NotificationBody<N extends Notification> = Omit<NotificationParams<N>, "subscription_id">;
/** "timeout": of exec.failed, only timeouts. */
export type EventKind = Subscribable | "timeout";

const MAX_PENDING = 1000;

export class Subscriber {
  readonly id: string;
  readonly #connection: NotificationSink;
  readonly #events: ReadonlySet<EventKind>;
  #pending = 0;
  readonly #ended = new AbortController();
  /** Aborts when the subscription or the connection ends. */
  readonly signal: AbortSignal;

  constructor(id: string, connection: NotificationSink, events: readonly EventKind[]) {
    this.id = id;
    this.#connection = connection;
    this.#events = new Set(events);
    this.signal = AbortSignal.any([this.#ended.signal, connection.closeSignal]);
  }

  wants(event: EventKind): boolean {
    return this.#events.has(event);
  }

  end(): void {
    this.#ended.abort();
  }

  /** Resolves when there is room for more. */
  async notify<N extends Notification>(name: N, params: NotificationBody<N>): Promise<void> {
    if (this.signal.aborted) return;
    if (++this.#pending > MAX_PENDING) return this.#endUnread();
    await this.#connection.notify(name, { subscription_id: this.id, ...params });
    this.#pending--;
  }

  /**
   * The client does not read, and its queue must stay bounded. Once it reads again it receives the
   * reason.
   */
  #endUnread(): void {
    this.end();
    const message = `${MAX_PENDING} notifications were not read: subscribe again, and check session.list for what was missed`;
    const notice: NotificationParams<"session.subscription_ended"> = {
      subscription_id: this.id,
      reason: "not_read",
      message,
    };
    void this.#connection.notify("session.subscription_ended", notice);
  }
}
