/** What the daemon tells of sessions, as streams that outlive it: a connection that is lost is dialled again. */
import { HoltError } from "../protocol/errors.ts";
import type { Notice } from "../protocol/wire.ts";
import type { Connection } from "./connection.ts";
import type { Change, Exit, Output } from "./holt-client.ts";
import type { Notifications } from "./methods.ts";
import { Notices } from "./notices.ts";

export interface Streaming {
  dial: () => Promise<Connection>;
  signal: AbortSignal | null;
}

/** How often a daemon that dies at once is started again. */
const MOST_ATTEMPTS = 5;
/** One that told nothing for so long has not died of what it was asked for. */
const LASTED_MS = 200;

export async function* follow(
  streaming: Streaming,
  session_id: string,
  cursor: string,
): AsyncGenerator<Output, Exit | null, void> {
  let next = cursor;
  const resubscribed = subscribed(streaming, () => ({ session_id, cursor: next }));
  const failure = (): string => `the output of ${session_id} goes on at cursor ${next}`;
  for await (const { method, params } of orFailing(resubscribed, failure)) {
    if (method === "session.exited") return params as Exit;
    if (method !== "session.output") continue;
    const output = params as Notifications["session.output"];
    next = output.next_cursor;
    yield outputOf(output);
  }
  return null;
}

export async function* changes(streaming: Streaming): AsyncGenerator<Change, void, void> {
  const resubscribed = subscribed(streaming, () => ({ events: ["started", "exited"] }));
  for await (const { method, params } of orFailing(resubscribed, () => "`session.list` tells what there is")) {
    if (method === "session.started") yield { type: "started", session: params as Notifications["session.started"] };
    if (method === "session.exited") yield { type: "exited", session: params as Exit };
  }
}

/** The notices of one subscription after the other; ends when it is aborted, or when no daemon stays up. */
async function* subscribed({ dial, signal }: Streaming, params: () => object): AsyncGenerator<Notice, Lost, void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    if (signal?.aborted === true) return "aborted";
    const connection = await dial();
    const notices = new Notices(connection, signal);
    try {
      await connection.call("session.subscribe", params(), null);
      const began = performance.now();
      for (let notice = await notices.next(); notice !== null; notice = await notices.next()) {
        attempt = 0;
        if (notice.method === "session.subscription_ended") break;
        yield notice;
      }
      if (performance.now() - began >= LASTED_MS) attempt = 0;
    } catch (error) {
      if (!(error instanceof HoltError) || error.code !== "EIO") throw error;
    } finally {
      notices.end();
    }
  }
  return signal?.aborted === true ? "aborted" : "given_up";
}

type Lost = "aborted" | "given_up";

async function* orFailing(
  notices: AsyncGenerator<Notice, Lost, void>,
  afterwards: () => string,
): AsyncGenerator<Notice, void, void> {
  if ((yield* notices) === "aborted") return;
  throw new HoltError("EIO", `the daemon does not stay up; ${afterwards()}`, {
    hint: "`holt daemon status` and the log in its state directory tell why",
  });
}

function outputOf(told: Notifications["session.output"]): Output {
  const { channel, cursor, next_cursor, timestamp, data, truncated } = told;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return { channel, cursor, next_cursor, timestamp, bytes, truncated };
}
