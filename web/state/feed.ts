/** Keeps the list true: what there is when the line comes up, then what is told, and every two seconds what each of them does. */
import { CallError, type Rpc } from "../api/rpc.ts";
import { activities, isLive, isLoaded, isOwner, key, type Sample, samples, sessions } from "./app.ts";

const LISTED = 500;
const LOOK_MS = 2000;
/** A quarter of an hour. */
const KEPT = 450;
/** Nobody tells of what was removed elsewhere. */
const REFRESH_MS = 30_000;

export function feed(rpc: Rpc): () => void {
  const known = new Map<string, { cpuMs: number; at: number }>();
  const ends = [
    rpc.onOpen(() => void begin(rpc).catch(() => {})),
    ...["session.started", "session.state_changed", "session.exited"].map((name) =>
      rpc.on(name, ({ session_id }) => void lookAt(rpc, String(session_id))),
    ),
  ];
  const isSeen = (): boolean => document.visibilityState === "visible" && rpc.line.value === "online";
  // The first look comes at once, so that nobody waits for what waits.
  const look = (): void => {
    if (isSeen()) watch(rpc, known).catch(() => {});
  };
  ends.push(rpc.onOpen(look));
  const timers = [
    setInterval(look, LOOK_MS),
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
    await lookAt(rpc, scope.session_id);
    isLoaded.value = true;
    await rpc.call("session.subscribe", { session_id: scope.session_id, events: ["state_changed", "exited"] });
    return;
  }
  // Not their output: that of fifty sessions is nothing for a list.
  await rpc.call("session.subscribe", { events: ["started", "state_changed", "exited"] });
  await refresh(rpc);
}

export async function refresh(rpc: Rpc): Promise<void> {
  const { sessions: all } = await rpc.call("session.list", { limit: LISTED });
  sessions.value = new Map(all.map((session) => [session.session_id, session]));
  isLoaded.value = true;
}

export async function lookAt(rpc: Rpc, id: string): Promise<void> {
  try {
    const session = await rpc.call("session.get", { session_id: id });
    sessions.value = new Map(sessions.value).set(id, session);
  } catch (error) {
    if (!(error instanceof CallError && error.code === "ENOTFOUND")) return; // it is there, and looked at again
    const left = new Map(sessions.value);
    left.delete(id);
    sessions.value = left;
  }
}

async function watch(rpc: Rpc, known: Map<string, { cpuMs: number; at: number }>): Promise<void> {
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
  // One that was removed, or ended while nobody was told.
  const isMissed = [...sessions.value.values()].some((session) => isLive(session) && !activities.value.has(session.session_id));
  if (isMissed || all.some(({ session_id }) => !sessions.value.has(session_id))) await refresh(rpc);
}
