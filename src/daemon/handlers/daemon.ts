import { reachable } from "../../client/reachable.ts";
import { stopAll } from "../../client/stop-all.ts";
import { executableState } from "../../platform/own-executable.ts";
import { isFinal } from "../../protocol/session.ts";
import { VERSION } from "../../protocol/version.ts";
import { daemonSocketPath } from "../../transcript/layout.ts";
import type { Handler } from "../handlers.ts";

export const info: Handler<"health.info"> = async (_params, { household, signal }) => {
  const all = household.sessions.list();
  const count = (state: string): number => all.filter((session) => session.state === state).length;
  const lost = all.filter(({ reason }) => reason === "holder_lost").length;
  return {
    version: VERSION,
    runtime: `bun ${Bun.version}`,
    pid: process.pid,
    socket: daemonSocketPath(household.sessions.layout),
    executable: executableState(),
    uptime_s: Math.floor((performance.now() - household.startedAt) / 1000),
    sessions: {
      starting: count("starting"),
      running: count("running"),
      ended: all.filter(({ state }) => isFinal(state)).length - lost,
      lost,
    },
    holders: (await reachable(all, signal)).length,
    warm: household.pool.size,
    clients: household.clients,
  };
};

export const shutdown: Handler<"daemon.shutdown"> = async ({ stop_sessions, grace_ms }, { household, passage }) => {
  if (!stop_sessions) {
    household.shutDown();
    return { stopped: [] };
  }
  household.acting.requireAll(passage);
  household.isClosing = true; // or a session could be started behind our back
  try {
    const stopped = await stopAll(household.sessions, grace_ms);
    household.shutDown();
    return { stopped };
  } catch (error) {
    household.isClosing = false; // it goes on
    throw error;
  }
};
