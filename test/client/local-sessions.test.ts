/** Sessions read from disk: list, get, resolve, remove, sweep. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { EventLog } from "../../src/transcript/write/events.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { endedSession, StateDir } from "./sessions.ts";
import { SmallHolder } from "./small-holder.ts";

let state: StateDir;
let sessions: LocalSessions;
beforeEach(() => {
  state = new StateDir();
  sessions = new LocalSessions(state.layout);
});
afterEach(() => state[Symbol.dispose]());

test("running and ended sessions are listed, and filtered by state", () => {
  endedSession(state, "done", { final: { exit_code: 4 } });
  using _holder = new SmallHolder(state, "live");
  expect(
    sessions
      .list()
      .map(({ session_id, state: its }) => `${session_id} ${its}`)
      .toSorted(),
  ).toEqual(["done exited", "live running"]);
  expect(sessions.list({ states: ["exited"] })).toMatchObject([{ session_id: "done", exit_code: 4 }]);
});

test("get takes exact ids, resolve also names and prefixes", () => {
  endedSession(state, "abcdef", { meta: { name: "build" } });
  expect(sessions.get("abcdef").session_id).toBe("abcdef");
  expect(sessions.resolve("abc").session_id).toBe("abcdef");
  expect(sessions.resolve("build").session_id).toBe("abcdef");
  expect(() => sessions.get("abc")).toThrow("session not found: abc");
});

test("an ended session can be removed, one that runs cannot", () => {
  endedSession(state, "done");
  using _holder = new SmallHolder(state, "live");
  sessions.remove("done");
  expect(() => sessions.get("done")).toThrow("session not found: done");
  expect(() => sessions.remove("live")).toThrow();
  expect(sessions.get("live").state).toBe("running");
});

test("a session's events are read by its id", () => {
  endedSession(state, "done");
  {
    using dir = SessionDir.open(state.layout, "done");
    using events = EventLog.open(dir);
    events.append({ type: "resize", cols: 80 });
  }
  expect(sessions.events("done")).toMatchObject([{ type: "resize", cols: 80 }]);
  expect(() => sessions.events("..")).toThrow("session not found: ..");
});

test("a sweep removes what has expired and nothing else", () => {
  const longAgo = new Date(Date.now() - 2 * 86_400_000).toISOString();
  endedSession(state, "old", { final: { ended_at: longAgo } });
  endedSession(state, "new");
  using _holder = new SmallHolder(state, "live");
  sessions.sweep();
  expect(
    sessions
      .list()
      .map(({ session_id }) => session_id)
      .toSorted(),
  ).toEqual(["live", "new"]);
});
