/** What a subscription brings, over one connection after the other: from where the last one was lost, with no gap and no byte twice. */
import { HoltError } from "../protocol/types/errors.ts";
import { isUnsafePathError } from "../protocol/wire/unsafe-path.ts";
import type { Connection } from "./connection.ts";
import type { Methods, Notifications } from "./methods.ts";
import { NotificationQueue } from "./notification-queue.ts";
import { ReconnectBackoff } from "./reconnect-backoff.ts";

export type Notification = { [N in keyof Notifications]: { method: N; params: Notifications[N] } }[keyof Notifications];
export type Subscription = Methods["session.subscribe"]["params"];

export interface Subscribing {
  subscription: Subscription;
  signal: AbortSignal | null;
  /** What was subscribed to by other means than session.subscribe. */
  begun?: { connection: Connection; notices: NotificationQueue };
}

type Event = NonNullable<Subscription["events"]>[number];

/** One that told nothing for so long has not died of what it was asked for. */
const LASTED_MS = 200;
const USUAL: readonly Event[] = ["started", "output", "state_changed", "exited"];

export interface Dialling {
  dial(): Promise<Connection>;
  /** Whether it is worth while to dial again: it has been reached before, and is still wanted. */
  isHopeful(): boolean;
}

/** Of one session up to its end; of all, until it is aborted. */
export async function* notifications(
  dialling: Dialling,
  { subscription, signal, begun }: Subscribing,
): AsyncGenerator<Notification, void, void> {
  const { session_id, events = USUAL } = subscription;
  let { cursor } = subscription;
  let ready = begun ?? null;
  const patience = new ReconnectBackoff(signal);
  for (;;) {
    if (isAborted(signal)) return ready?.notices.end();
    const listened = ready ?? (await listening(dialling, patience, signal));
    if (listened === null) return;
    const { connection, notices } = listened;
    try {
      if (ready === null) {
        // The end is always told of last, so that it can be known.
        const asked = { ...subscription, ...(cursor === undefined ? {} : { cursor }), events: [...events, "exited"] };
        const from = await connection.call("session.subscribe", asked, null);
        cursor ??= (from as Methods["session.subscribe"]["result"]).cursor ?? undefined;
      }
      const began = performance.now();
      for (let notice = await notices.next(); notice !== null; notice = await notices.next()) {
        const told = notice as unknown as Notification;
        if (told.method === "session.subscription_ended") break;
        cursor = cursorAfter(told) ?? cursor;
        patience.renew();
        if (told.method !== "session.exited" || events.includes("exited")) yield told;
        if (session_id !== undefined && isLast(told, ready !== null)) return;
      }
      if (performance.now() - began >= LASTED_MS) patience.renew();
    } catch (error) {
      if (!(error instanceof HoltError) || error.code !== "EIO") throw error;
    } finally {
      notices.end();
    }
    ready = null;
    if (!(await patience.pause()) && !isAborted(signal)) break;
  }
  const rest =
    session_id === undefined
      ? "`session.list` tells what there is"
      : `the output of ${session_id} goes on at cursor ${cursor}`;
  throw new HoltError("EIO", `the daemon does not stay up; ${rest}`, {
    hint: "`holt daemon status` and the log in its state directory tell why",
  });
}

/** Where nobody listens another daemon may just be coming up, and where one is killed again and again, the next may stay. Null once it is aborted. */
async function listening(
  dialling: Dialling,
  patience: ReconnectBackoff,
  signal: AbortSignal | null,
): Promise<{ connection: Connection; notices: NotificationQueue } | null> {
  while (!isAborted(signal)) {
    try {
      const connection = await dialling.dial();
      return { connection, notices: new NotificationQueue(connection, signal) };
    } catch (error) {
      if (isUnsafePathError(error) || !dialling.isHopeful() || !(await patience.pause())) throw error;
    }
  }
  return null;
}

function isAborted(signal: AbortSignal | null): boolean {
  return signal?.aborted === true;
}

/** One who was not asked for session.exited ends with the command's own last word. */
function isLast({ method }: Notification, isBegun: boolean): boolean {
  return method === "session.exited" || (isBegun && (method === "exec.completed" || method === "exec.failed"));
}

function cursorAfter({ method, params }: Notification): string | null {
  if (method === "session.output" || method === "exec.output") return params.next_cursor;
  return method === "pty.output" ? String(params.seq) : null;
}
