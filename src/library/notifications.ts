/**
 * The notifications of a subscription across connections: a new connection continues where the last
 * one was lost, without gap or repetition.
 */
import { HoltError } from "../protocol/types/errors.ts";
import { isUnsafePathError } from "../protocol/wire/unsafe-path.ts";
import type { Connection } from "./connection.ts";
import type { Methods, Notifications } from "./methods.ts";
import { NotificationQueue } from "./notification-queue.ts";
import { ReconnectBackoff } from "./reconnect-backoff.ts";

export type Notification = { [N in keyof Notifications]: { method: N; params: Notifications[N] } }[keyof Notifications];
export type Subscription = Methods["session.subscribe"]["params"];

export interface StreamOptions {
  subscription: Subscription;
  signal: AbortSignal | null;
  /** An existing subscription, made by another method than session.subscribe. */
  existing?: { connection: Connection; queue: NotificationQueue };
}

type Event = NonNullable<Subscription["events"]>[number];

/** A subscription that stayed open this long did not fail because of its request. */
const STABLE_MS = 200;
const DEFAULT_EVENTS: readonly Event[] = ["started", "output", "state_changed", "exited"];

export interface Dialer {
  dial(): Promise<Connection>;
  /** Whether to try again: the daemon was reached before, and the client is open. */
  mayReconnect(): boolean;
}

/** For one session: until it ends. For all: until aborted. */
export async function* notifications(
  dialer: Dialer,
  { subscription, signal, existing }: StreamOptions,
): AsyncGenerator<Notification, void, void> {
  const { session_id, events = DEFAULT_EVENTS } = subscription;
  let { cursor } = subscription;
  let ready = existing ?? null;
  const backoff = new ReconnectBackoff(signal);
  for (;;) {
    if (isAborted(signal)) return ready?.queue.end();
    const current = ready ?? (await connectWithRetry(dialer, backoff, signal));
    if (current === null) return;
    const { connection, queue } = current;
    try {
      if (ready === null) {
        // Always subscribe to the end, which ends the stream.
        const request = { ...subscription, ...(cursor === undefined ? {} : { cursor }), events: [...events, "exited"] };
        const from = await connection.call("session.subscribe", request, null);
        cursor ??= (from as Methods["session.subscribe"]["result"]).cursor ?? undefined;
      }
      const startedAt = performance.now();
      for (let next = await queue.next(); next !== null; next = await queue.next()) {
        const notification = next as unknown as Notification;
        if (notification.method === "session.subscription_ended") break;
        cursor = cursorAfter(notification) ?? cursor;
        backoff.reset();
        if (notification.method !== "session.exited" || events.includes("exited")) yield notification;
        if (session_id !== undefined && isLast(notification, ready !== null)) return;
      }
      if (performance.now() - startedAt >= STABLE_MS) backoff.reset();
    } catch (error) {
      if (!(error instanceof HoltError) || error.code !== "EIO") throw error;
    } finally {
      queue.end();
    }
    ready = null;
    if (!(await backoff.pause()) && !isAborted(signal)) break;
  }
  const advice =
    session_id === undefined
      ? "`session.list` lists the sessions"
      : `the output of ${session_id} continues at cursor ${cursor}`;
  throw new HoltError("EIO", `the daemon keeps ending; ${advice}`, {
    hint: "see `holt daemon status` and the log in its state directory",
  });
}

/**
 * Connects, with retries: a daemon may be starting, or be killed again and again until one stays.
 * Null once aborted.
 */
async function connectWithRetry(
  dialer: Dialer,
  backoff: ReconnectBackoff,
  signal: AbortSignal | null,
): Promise<{ connection: Connection; queue: NotificationQueue } | null> {
  while (!isAborted(signal)) {
    try {
      const connection = await dialer.dial();
      return { connection, queue: new NotificationQueue(connection, signal) };
    } catch (error) {
      if (isUnsafePathError(error) || !dialer.mayReconnect() || !(await backoff.pause())) throw error;
    }
  }
  return null;
}

function isAborted(signal: AbortSignal | null): boolean {
  return signal?.aborted === true;
}

/**
 * An existing subscription has no session.exited: it ends with the command's own last notification.
 */
function isLast({ method }: Notification, isExisting: boolean): boolean {
  return method === "session.exited" || (isExisting && (method === "exec.completed" || method === "exec.failed"));
}

function cursorAfter({ method, params }: Notification): string | null {
  if (method === "session.output" || method === "exec.output") return params.next_cursor;
  return method === "pty.output" ? String(params.seq) : null;
}
