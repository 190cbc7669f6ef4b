/** A subscription to one session: its output from a cursor on, its modes, its end. */
import { AttachConnection, type AttachItem } from "../../client/attach/attach-connection.ts";
import { type FollowItem, follow, NOTHING_BUT_THE_END } from "../../client/read/follow.ts";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { viewerRequest } from "../../client/read/viewer-request.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import type { FairShare } from "./fair-share.ts";
import { type Piece, notifyEnded, notifyOutput, wantsOutput } from "./session-events.ts";
import type { Subscriber } from "./subscriber.ts";

export interface SessionSubscription {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  subscriber: Subscriber;
  share: FairShare;
  /** Called with the ended session, before the subscriber gets the event of its end. */
  justBeforeEnd: (session: Session) => void;
}

export async function followSession(told: SessionSubscription): Promise<void> {
  const { sessions, id, cursor, subscriber, share, justBeforeEnd } = told;
  const { signal } = subscriber;
  if (subscriber.wants("mode_changed")) void notifyModes(sessions, id, subscriber);
  const session = sessions.get(id);
  const output = wantsOutput(subscriber, session) ? "all" : "none";
  for await (const item of follow({ id, cursor, signal, layout: sessions.layout, output })) {
    await share.turn();
    if (signal.aborted) return;
    if (item.type === "end") {
      const ended = sessions.get(id);
      justBeforeEnd(ended);
      return notifyEnded(subscriber, ended);
    }
    await notifyOutput(subscriber, session, pieceOf(item));
  }
}

function pieceOf(item: Exclude<FollowItem, { type: "end" }>): Piece {
  if (item.type === "gap") return { channel: null, cursor: item.from, next: item.to, timestamp: null, bytes: null };
  const { channel, cursor, timestamp, bytes } = item;
  return { channel, cursor, next: cursor + bytes.length, timestamp, bytes };
}

/** Of one who only wants the modes, no byte is sent. */
const NO_OUTPUT = String(NOTHING_BUT_THE_END);

/** As one who only looks. A session on pipes has none, and one that ends has no more. */
async function notifyModes(sessions: LocalSessions, id: string, subscriber: Subscriber): Promise<void> {
  const session = sessions.get(id);
  if (isFinal(session.state) || session.transport_mode === "pipe") return;
  try {
    const looks = { ...viewerRequest("subscription", { once: false }), replay: "none" as const, cursor: NO_OUTPUT };
    using attached = await AttachConnection.open(session, looks, subscriber.signal);
    subscriber.signal.addEventListener("abort", () => attached[Symbol.dispose](), { once: true });
    for (let item = await attached.next(); item !== null && !subscriber.signal.aborted; item = await attached.next())
      await notifyIfModes(item, id, subscriber);
  } catch {
    // It has ended meanwhile, which is told by itself.
  }
}

/** As they are when it begins, and then each change: between the two none is missed. */
async function notifyIfModes(item: AttachItem, session_id: string, subscriber: Subscriber): Promise<void> {
  const told = item.type === "replay" ? item.head : item.type === "modes" ? item : null;
  if (told === null) return;
  await subscriber.notify("session.mode_changed", { session_id, modes: { ...told.modes }, title: told.title });
}
