/** A subscription to one session: its output from a cursor on, its modes, its end. */
import { Attached } from "../../client/attached.ts";
import { follow } from "../../client/follow.ts";
import type { LocalSessions } from "../../client/local-sessions.ts";
import { isFinal } from "../../protocol/session.ts";
import type { Subscriber } from "./subscriber.ts";

export interface OneSession {
  sessions: LocalSessions;
  id: string;
  cursor: number;
  subscriber: Subscriber;
}

export async function tellOfSession({ sessions, id, cursor, subscriber }: OneSession): Promise<void> {
  const { signal } = subscriber;
  if (subscriber.wants("mode_changed")) void tellModes(sessions, id, subscriber);
  const output = subscriber.wants("output") ? "all" : "none";
  for await (const item of follow({ id, cursor, signal, layout: sessions.layout, output })) {
    if (signal.aborted) return;
    if (item.type === "end") return subscriber.tellEnd(sessions.get(id));
    if (item.type === "gap") {
      const place = { cursor: String(item.from), next_cursor: String(item.to) };
      const lost = { channel: null, timestamp: null, data: "", truncated: true };
      await subscriber.tell("session.output", { session_id: id, ...place, ...lost });
      continue;
    }
    await subscriber.tell("session.output", {
      session_id: id,
      channel: item.channel,
      cursor: String(item.cursor),
      next_cursor: String(item.cursor + item.bytes.length),
      timestamp: new Date(item.timestamp).toISOString(),
      data: item.bytes.toBase64(),
      truncated: false,
    });
  }
}

/** Past everything that a session can print: of one who only wants the modes, no byte is sent. */
const NO_OUTPUT = String(10 ** 15 - 1);

/** As one who only looks. A session on pipes has none, and one that ends has no more. */
async function tellModes(sessions: LocalSessions, id: string, subscriber: Subscriber): Promise<void> {
  const session = sessions.get(id);
  if (isFinal(session.state) || session.transport_mode === "pipe") return;
  try {
    using attached = await Attached.open(
      session,
      {
        role: "viewer",
        replay: "none",
        cursor: NO_OUTPUT,
        size: null,
        scrollback: 0,
        raw_bytes: 0,
        replaces: false,
        takeover: false,
        once: false,
        passive: true,
        pid: process.pid,
        label: "subscription",
        terminal: null,
      },
      subscriber.signal,
    );
    subscriber.signal.addEventListener("abort", () => attached[Symbol.dispose](), { once: true });
    for (let item = await attached.next(); item !== null && !subscriber.signal.aborted; item = await attached.next())
      if (item.type === "modes")
        await subscriber.tell("session.mode_changed", { session_id: id, modes: { ...item.modes }, title: item.title });
  } catch {
    // It has ended meanwhile, which is told by itself.
  }
}
