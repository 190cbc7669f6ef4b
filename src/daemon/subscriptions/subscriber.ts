/** One subscription of one connection: what it wants, and how it is told. It lags on its own: whoever is slow holds back nobody else. */
import type {
  Notification,
  NotificationParams,
  Subscribable,
} from "../../protocol/methods/rows/notifications.schema.ts";
import type { NotificationSink } from "../../surfaces/jsonrpc/calls.ts";

type NotificationBody<N extends Notification> = Omit<NotificationParams<N>, "subscription_id">;
/** "timeout": of what fails, only that whose time was up. */
export type EventKind = Subscribable | "timeout";

const MOST_UNTOLD = 1000;

export class Subscriber {
  readonly id: string;
  readonly #listener: NotificationSink;
  readonly #wanted: ReadonlySet<EventKind>;
  #untold = 0;
  readonly #ended = new AbortController();
  /** When the subscription or the connection ends. */
  readonly signal: AbortSignal;

  constructor(id: string, listener: NotificationSink, wanted: readonly EventKind[]) {
    this.id = id;
    this.#listener = listener;
    this.#wanted = new Set(wanted);
    this.signal = AbortSignal.any([this.#ended.signal, listener.closeSignal]);
  }

  wants(event: EventKind): boolean {
    return this.#wanted.has(event);
  }

  end(): void {
    this.#ended.abort();
  }

  /** Resolves when there is room for more. */
  async notify<N extends Notification>(name: N, params: NotificationBody<N>): Promise<void> {
    if (this.signal.aborted) return;
    if (++this.#untold > MOST_UNTOLD) return this.#giveUp();
    await this.#listener.notify(name, { subscription_id: this.id, ...params });
    this.#untold--;
  }

  /** It does not read, and news that nobody waits with would pile up. When it reads again, it learns why there was no more. */
  #giveUp(): void {
    this.end();
    const message = `${MOST_UNTOLD} notifications were not read: subscribe again, and look with session.list at what was missed`;
    const over: NotificationParams<"session.subscription_ended"> = {
      subscription_id: this.id,
      reason: "not_read",
      message,
    };
    void this.#listener.notify("session.subscription_ended", over);
  }
}
