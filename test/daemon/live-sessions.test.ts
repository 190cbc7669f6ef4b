/**
 * With 1,000 running sessions `health.info` took 139 ms instead of 0.5 and `session.list` 178
 * instead of 5: each call queried every holder and read every directory. The daemon now follows
 * changes; these tests check that it misses none and does no work for unchanged sessions.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LocalSessions } from "../../src/client/sessions/local-sessions.ts";
import { LiveSessions } from "../../src/daemon/sessions/live-sessions.ts";
import { EventLog } from "../../src/transcript/write/events.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { endedSession, metaOf, StateDir } from "../client/sessions.ts";
import { SmallHolder } from "../client/small-holder.ts";
import { until } from "../chaos/size.ts";
import type { Bench } from "../support/holt.ts";
import { dial, withDaemon } from "./household.ts";

/**
 * The native poller keeps its descriptors for the lifetime of this process; daemons have their own.
 */
process.env["HOLT_NO_NATIVE"] = "1";

const PAGE = { page: { offset: 0, limit: 50 } };
const QUEUED = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "latin1"));

let state: StateDir;
let live: LiveSessions;
beforeEach(() => {
  state = new StateDir();
  live = new LiveSessions(new LocalSessions(state.layout));
});
afterEach(() => {
  live[Symbol.dispose]();
  state[Symbol.dispose]();
});

const directory = (id: string): string => join(state.layout.sessions, id);
const counts = ({ starting = 0, running = 0, ended = 0, lost = 0 }) => ({ starting, running, ended, lost });
const listed = (): string[] => live.list(PAGE).sessions.map(({ session_id, state: its }) => `${session_id} ${its}`);

/** Renames a directory back and forth: two events each time. */
function overflow(): void {
  mkdirSync(directory("flood"));
  for (let i = 0; i <= QUEUED / 2; i++)
    renameSync(directory(i % 2 === 0 ? "flood" : "surge"), directory(i % 2 === 0 ? "surge" : "flood"));
}

test("the next query sees each start, end, loss and removal", () => {
  endedSession(state, "before");
  using first = new SmallHolder(state, "first", "no socket");
  expect(live.counts()).toEqual(counts({ running: 1, ended: 1 }));
  using second = new SmallHolder(state, "second", "no socket");
  expect(live.counts()).toEqual(counts({ running: 2, ended: 1 }));
  expect(listed().toSorted()).toEqual(["before exited", "first running", "second running"]);
  first.end();
  expect(live.counts()).toEqual(counts({ running: 1, ended: 2 }));
  second.vanish();
  expect(live.counts()).toEqual(counts({ ended: 2, lost: 1 }));
  expect(listed().toSorted()).toEqual(["before exited", "first exited", "second failed"]);
  new LocalSessions(state.layout).remove("first");
  rmSync(directory("second"), { recursive: true });
  expect(live.counts()).toEqual(counts({ ended: 1 }));
  expect(live.list(PAGE)).toMatchObject({ sessions: [{ session_id: "before" }], matching: 1, total: 1 });
});

test("a running session's output and events are current", () => {
  using holder = new SmallHolder(state, "living", "no socket");
  expect(live.list(PAGE).sessions).toMatchObject([{ output_bytes: 0, quiet: false }]);
  holder.append("twelve bytes");
  expect(live.list(PAGE).sessions).toMatchObject([{ output_bytes: 12, quiet: false }]);
  const since = new Date().toISOString();
  using dir = SessionDir.open(state.layout, "living");
  using events = EventLog.open(dir);
  events.append({ type: "quiet", since });
  holder.append("!");
  expect(live.list(PAGE).sessions).toMatchObject([{ output_bytes: 13, quiet: true, quiet_since: since }]);
  expect(live.running()).toMatchObject([{ session_id: "living", output_bytes: 13 }]);
});

test("a session that is moved away and another with its name are told apart", () => {
  endedSession(state, "name");
  expect(listed()).toEqual(["name exited"]);
  renameSync(directory("name"), join(state.layout.root, "kept"));
  expect(listed()).toEqual([]);
  using holder = new SmallHolder(state, "name", "no socket");
  expect(listed()).toEqual(["name running"]);
  holder.end({ state: "signaled", signal: "SIGTERM" });
  expect(listed()).toEqual(["name signaled"]);
  rmSync(directory("name"), { recursive: true });
  renameSync(join(state.layout.root, "kept"), directory("name"));
  expect(listed()).toEqual(["name exited"]);
});

test("pages cover running and ended sessions, newest first", () => {
  const at = (second: number): { created_at: string } => ({ created_at: new Date(1e12 + second * 1000).toISOString() });
  for (let i = 0; i < 5; i++) endedSession(state, `e${i}`, { meta: at(i) });
  using _one = new SmallHolder(state, "one", "no socket");
  using _two = new SmallHolder(state, "two", "no socket");
  const all = listed().map((row) => row.split(" ")[0]);
  expect(all.slice(2)).toEqual(["e4", "e3", "e2", "e1", "e0"]);
  for (let offset = 0; offset < 8; offset++) {
    const { sessions, matching } = live.list({ page: { offset, limit: 3 } });
    expect(sessions.map(({ session_id }) => session_id)).toEqual(all.slice(offset, offset + 3) as string[]);
    expect(matching).toBe(7);
  }
});

test("after an overflow of the kernel's queue all sessions are read again", () => {
  using holder = new SmallHolder(state, "living", "no socket");
  endedSession(state, "gone");
  expect(live.counts()).toEqual(counts({ running: 1, ended: 1 }));
  overflow();
  holder.end();
  rmSync(directory("gone"), { recursive: true });
  endedSession(state, "new");
  expect(live.counts()).toEqual(counts({ ended: 2 }));
  expect(listed().toSorted()).toEqual(["living exited", "new exited"]);
  using _next = new SmallHolder(state, "next", "no socket");
  expect(live.counts()).toEqual(counts({ running: 1, ended: 2 }));
});

test("a follower receives each change, and each end once, also after an overflow", async () => {
  endedSession(state, "old");
  using first = new SmallHolder(state, "first", "no socket");
  using second = new SmallHolder(state, "second", "no socket");
  second.vanish();
  const told: string[] = [];
  const living = live.follow((id, session) => told.push(`${id} ${session?.state ?? "gone"}`));
  expect(living.map(({ session_id }) => session_id)).toEqual(["first"]);
  using third = new SmallHolder(state, "third", "no socket");
  await until("it is told", () => told.includes("third running"));
  overflow();
  first.end();
  endedSession(state, "fourth");
  new LocalSessions(state.layout).remove("old");
  await until("all is told", () => ["first exited", "fourth exited", "old gone"].every((what) => told.includes(what)));
  third.vanish();
  await until("its loss is told", () => told.includes("third failed"));
  const ends = told.filter((what) => !/running|flood|surge/.test(what));
  expect(new Set(ends).size).toBe(ends.length);
  expect(told.filter((what) => /^(?:old|second)/.test(what))).toEqual(["old gone"]);
  live.unfollow();
});

test("a holder whose death left no event is found by the recheck", async () => {
  {
    using dir = SessionDir.create(state.layout, "quiet");
    dir.lock();
    writeMeta(dir, metaOf("quiet"));
  }
  // Opened for reading only, so closing it is no event.
  const script = "exec 9<append.lock; flock 9; echo held; exec sleep 1000";
  const child = Bun.spawn(["sh", "-c", script], { cwd: directory("quiet"), stdout: "pipe" });
  expect(Buffer.from((await child.stdout.getReader().read()).value ?? []).toString()).toBe("held\n");
  expect(live.counts()).toEqual(counts({ running: 1 }));
  child.kill("SIGKILL");
  await child.exited;
  live.recheck();
  expect(live.counts()).toEqual(counts({ lost: 1 }));
});

test("sessions/ may be removed and created again", () => {
  endedSession(state, "old");
  expect(live.counts()).toEqual(counts({ ended: 1 }));
  rmSync(state.layout.sessions, { recursive: true });
  expect(live.counts()).toEqual(counts({}));
  expect(listed()).toEqual([]);
  mkdirSync(state.layout.sessions, { mode: 0o700 });
  endedSession(state, "new");
  expect(live.counts()).toEqual(counts({ ended: 1 }));
  expect(listed()).toEqual(["new exited"]);
});

test("the next list repairs missing and extra rows of holt.db", () => {
  for (const id of ["a", "b", "c"]) endedSession(state, id);
  expect(listed()).toHaveLength(3);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(state.layout.root, `holt.db${suffix}`), { force: true });
  expect(listed()).toHaveLength(3);
});

test("with 100 running sessions a count takes one system call, and a list reads the rows of its page", () => {
  const holders = Array.from({ length: 100 }, (_, i) => new SmallHolder(state, `s${i}`, "no socket"));
  const from = (path: string): string => JSON.stringify(join(import.meta.dir, "../../src", path));
  const trace = join(state.layout.root, "trace");
  const program = `
    const { accessSync } = await import("node:fs");
    const { LocalSessions } = await import(${from("client/sessions/local-sessions.ts")});
    const { LiveSessions } = await import(${from("daemon/sessions/live-sessions.ts")});
    const { layoutAt } = await import(${from("transcript/layout.ts")});
    const live = new LiveSessions(new LocalSessions(layoutAt(${JSON.stringify(state.layout.root)})));
    const list = () => live.list({ page: { offset: 0, limit: 3 } });
    list();
    accessSync("/proc/self/status");
    for (let i = 0; i < 20; i++) if (live.counts().running !== 100) process.exit(1);
    accessSync("/proc/self/status");
    for (let i = 0; i < 20; i++) if (list().matching !== 100) process.exit(2);`;
  const filter = ["-e", "trace=%file,%desc"];
  const traced = Bun.spawnSync(["strace", "-f", "-qq", "-o", trace, ...filter, process.execPath, "-e", program]);
  for (const holder of holders) holder[Symbol.dispose]();
  expect(traced.exitCode).toBe(0);
  const [, counting = "", listing = ""] = readFileSync(trace, "utf8").split(/access\("\/proc\/self\/status".*/);
  expect(counting.match(/ read(?:\(\d+,| resumed).*EAGAIN/g)).toHaveLength(20);
  expect(counting.match(/\/sessions|"s\d+"|getdents|connect/g)).toBeNull();
  expect(listing.match(/\/sessions\//g)).toHaveLength(20 * 3 * 2);
});

test("the daemon sees changes by other processes, and a killed holder", async () => {
  await withDaemon(async (client, bench) => {
    const { id } = await startElsewhere(bench);
    expect(await client.call("health.info", {})).toMatchObject({ sessions: { running: 1 }, holders: 1 });
    process.kill(bench.meta(id).holder.pid, "SIGKILL");
    await until("the holder is gone", async () => {
      const { sessions, holders } = await client.call("health.info", {});
      return sessions.lost === 1 && sessions.running === 0 && holders === 0;
    });
    await bench.run(["rm", id]);
    expect(await client.call("health.info", {})).toMatchObject({ sessions: counts({}) });
    const { session_id } = await client.call("exec.run", { command: "true" });
    using another = await dial(bench);
    expect(await another.call("session.list", {})).toMatchObject({ sessions: [{ session_id, state: "exited" }] });
  });
});

async function startElsewhere(bench: Bench): Promise<{ id: string }> {
  const { text } = await bench.run(["start", "--", "sleep", "1000"], { env: { HOLT_NO_DAEMON: "1" } });
  return { id: text.trim() };
}
