/** What a subscription brings, over one connection after the other: from where the last one was lost, with no gap and no byte twice. */
import { HoltError } from "../protocol/errors.ts";
import type { Connection } from "./connection.ts";
import type { Methods, Notifications } from "./methods.ts";
import { Notices } from "./notices.ts";

export type Notification = { [N in keyof Notifications]: { method: N; params: Notifications[N] } }[keyof Notifications];
export type Subscription = Methods["session.subscribe"]["params"];

export interface Subscribing {
  subscription: Subscription;
  signal: AbortSignal | null;
  /** What was subscribed to by other means than session.subscribe. */
  begun?: { connection: Connection; notices: Notices };
}

type Event = NonNullable<Subscription["events"]>[number];

/** How often a daemon that dies at once is started again. */
const MOST_ATTEMPTS = 5;
/** One that told nothing for so long has not died of what it was asked for. */
const LASTED_MS = 200;
const USUAL: readonly Event[] = ["started", "output", "state_changed", "exited"];

/** Of one session up to its end; of all, until it is aborted. */
export async function* notifications(
  dial: () => Promise<Connection>,
  { subscription, signal, begun }: Subscribing,
): AsyncGenerator<Notification, void, void> {
  const { session_id, events = USUAL } = subscription;
  let { cursor } = subscription;
  let ready = begun ?? null;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    if (signal?.aborted === true) return ready?.notices.end();
    const { connection, notices } = ready ?? (await listening(dial, signal));
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
        attempt = 0;
        if (told.method !== "session.exited" || events.includes("exited")) yield told;
        if (session_id !== undefined && isLast(told, ready !== null)) return;
      }
      if (performance.now() - began >= LASTED_MS) attempt = 0;
    } catch (error) {
      if (!(error instanceof HoltError) || error.code !== "EIO") throw error;
    } finally {
      notices.end();
    }
    ready = null;
  }
  if (signal?.aborted === true) return;
  const rest =
    session_id === undefined
      ? "`session.list` tells what there is"
      : `the output of ${session_id} goes on at cursor ${cursor}`;
  throw new HoltError("EIO", `the daemon does not stay up; ${rest}`, {
    hint: "`holt daemon status` and the log in its state directory tell why",
  });
}

async function listening(
  dial: () => Promise<Connection>,
  signal: AbortSignal | null,
): Promise<{ connection: Connection; notices: Notices }> {
  const connection = await dial();
  return { connection, notices: new Notices(connection, signal) };
}

/** One who was not asked for session.exited ends with the command's own last word. */
function isLast({ method }: Notification, isBegun: boolean): boolean {
  return method === "session.exited" || (isBegun && (method === "exec.completed" || method === "exec.failed"));
}

function cursorAfter({ method, params }: Notification): string | null {
  if (method === "session.output" || method === "exec.output") return params.next_cursor;
  return method === "pty.output" ? String(params.seq) : null;
}
