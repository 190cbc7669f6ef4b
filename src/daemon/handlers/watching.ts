/** Handlers of session.activity, session.timeline and session.replay. */
import { activityOf } from "../../client/sessions/activity.ts";
import { replayOf } from "../../client/read/screen.ts";
import { timelineOf } from "../../client/read/timeline.ts";
import type { Handler } from "./handlers.ts";

export const activity: Handler<"session.activity"> = async (_params, { daemon, signal }) => ({
  at: new Date().toISOString(),
  sessions: await activityOf(daemon.sessions, signal),
});

export const timeline: Handler<"session.timeline"> = ({ session_id, buckets }, { daemon }) =>
  timelineOf(daemon.sessions, session_id, buckets);

export const replay: Handler<"session.replay"> = async ({ session_id, cursor, scrollback }, { daemon, signal }) => {
  const { sessions } = daemon;
  const at = cursor === undefined ? null : Number(cursor);
  const request = { sessions, session: sessions.get(session_id), at, progress() {}, signal };
  const { replay: bytes, cols, rows, title, modes, cursor: next } = await replayOf(request, scrollback);
  const { alternate_screen } = modes;
  return { cursor: String(next), cols, rows, title, alternate_screen, data: bytes.toBase64() };
};
