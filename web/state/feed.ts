/**
 * Keeps the list of sessions current: a full list on connect, then notifications, and the activity
 * every two seconds.
 */
import { CallError, type Rpc } from "../api/rpc.ts";
import { activities, isLive, isLoaded, isOwner, key, type Sample, samples, sessions } from "./app.ts";

const LISTED = 500;
const LOOK_MS = 2000;
/** Samples kept: a quarter of an hour. */
const KEPT = 450;
/** A removal by another client has no notification. */
const REFRESH_MS = 30_000;

export function feed(rpc: Rpc): () => void {
  const known = new Map<string, { cpuMs: number; at: number }>();
  const ends = [
    rpc.onOpen(() => void begin(rpc).catch(() => {})),
    ...["session.started", "session.state_changed", "session.exited"].map((name) =>
      rpc.on(name, ({ session_id }) => void refreshSession(rpc, String(session_id))),
    ),
  ];
  const isSeen = (): boolean => document.visibilityState === "visible" && rpc.status.value === "online";
  // The first poll is immediate: sessions may be waiting for input.
  const poll = (): void => {
    if (isSeen()) pollActivity(rpc, known).catch(() => {});
  };
  ends.push(rpc.onOpen(poll));
  const timers = [
    setInterval(poll, LOOK_MS),
    setInterval(() => {
      if (isSeen() && isOwner.value) refresh(rpc).catch(() => {});
    }, REFRESH_MS),
  ];
  return () => {
    timers.forEach(clearInterval);
    for (const end of ends) end();
  };
}

async function begin(rpc: Rpc): Promise<void> {
  const scope = key.value?.scope;
  if (scope?.kind === "session") {
    await refreshSession(rpc, scope.session_id);
    isLoaded.value = true;
    await rpc.call("session.subscribe", { session_id: scope.session_id, events: ["state_changed", "exited"] });
    return;
  }
  // No output events: the list does not show them.
  await rpc.call("session.subscribe", { events: ["started", "state_changed", "exited"] });
  await refresh(rpc);
}

export async function refresh(rpc: Rpc): Promise<void> {
  const { sessions: all } = await rpc.call("session.list", { limit: LISTED });
  sessions.value = new Map(all.map((session) => [session.session_id, session]));
  isLoaded.value = true;
}

export async function refreshSession(rpc: Rpc, id: string): Promise<void> {
  try {
    const session = await rpc.call("session.get", { session_id: id });
    sessions.value = new Map(sessions.value).set(id, session);
  } catch (error) {
    if (!(error instanceof CallError && error.code === "ENOTFOUND")) return; // it exists; the next refresh tries again
    const left = new Map(sessions.value);
    left.delete(id);
    sessions.value = left;
  }
}

async function pollActivity(rpc: Rpc, known: Map<string, { cpuMs: number; at: number }>): Promise<void> {
  if (!isOwner.value) return;
  const { sessions: all } = await rpc.call("session.activity", {});
  const now = performance.now();
  const kept = new Map<string, readonly Sample[]>();
  for (const { session_id, cpu_ms, memory_bytes } of all) {
    const before = known.get(session_id);
    const cpu = before === undefined ? 0 : Math.max(0, (cpu_ms - before.cpuMs) / (now - before.at));
    known.set(session_id, { cpuMs: cpu_ms, at: now });
    kept.set(session_id, [...(samples.value.get(session_id) ?? []), { cpu, memory: memory_bytes }].slice(-KEPT));
  }
  activities.value = new Map(all.map((activity) => [activity.session_id, activity]));
  samples.value = kept;
  // Removed, or ended without a notification.
  const isMissed = [...sessions.value.values()].some((session) => isLive(session) && !activities.value.has(session.session_id));
  if (isMissed || all.some(({ session_id }) => !sessions.value.has(session_id))) await refresh(rpc);
}
