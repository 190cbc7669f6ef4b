/** A subscription to one session: output from a cursor on, terminal modes, end. */
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
  /** Called with the ended session before the subscriber is sent its end. */
  justBeforeEnd: (session: Session) => void;
}

export async function followSession(subscription: SessionSubscription): Promise<void> {
  const { sessions, id, cursor, subscriber, share, justBeforeEnd } = subscription;
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

/** A cursor past all output: a subscriber to modes needs no bytes. */
const NO_OUTPUT = String(NOTHING_BUT_THE_END);

/**
 * Attaches as a viewer to follow the terminal modes. A session on pipes has none; an ended one
 * sends no more.
 */
async function notifyModes(sessions: LocalSessions, id: string, subscriber: Subscriber): Promise<void> {
  const session = sessions.get(id);
  if (isFinal(session.state) || session.transport_mode === "pipe") return;
  try {
    const request = { ...viewerRequest("subscription", { once: false }), replay: "none" as const, cursor: NO_OUTPUT };
    using attached = await AttachConnection.open(session, request, subscriber.signal);
    subscriber.signal.addEventListener("abort", () => attached[Symbol.dispose](), { once: true });
    for (let item = await attached.next(); item !== null && !subscriber.signal.aborted; item = await attached.next())
      await notifyIfModes(item, id, subscriber);
  } catch {
    // The session ended meanwhile; its end is sent separately.
  }
}

/** The modes at the start, then each change, without a gap. */
async function notifyIfModes(item: AttachItem, session_id: string, subscriber: Subscriber): Promise<void> {
  const source = item.type === "replay" ? item.head : item.type === "modes" ? item : null;
  if (source === null) return;
  await subscriber.notify("session.mode_changed", { session_id, modes: { ...source.modes }, title: source.title });
}
