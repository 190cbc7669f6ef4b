/** Handlers of health.info and daemon.shutdown. */
import { stopAll } from "../../client/sessions/end-many.ts";
import { type ExecutableState, executableState } from "../../platform/process/own-executable.ts";
import type { Result } from "../../protocol/methods/table.schema.ts";
import { VERSION } from "../../protocol/types/version.ts";
import type { DaemonContext } from "../daemon-context.ts";
import type { Handler } from "./handlers.ts";

export const info: Handler<"health.info"> = (_params, { daemon }) => {
  const late = daemon.live.catchUp();
  return late === null ? healthOf(daemon) : late.then(() => healthOf(daemon));
};

export const shutdown: Handler<"daemon.shutdown"> = async ({ stop_sessions, grace_ms }, { daemon, call }) => {
  if (!stop_sessions) {
    daemon.shutDown();
    return { stopped: [] };
  }
  daemon.access.requireAll(call);
  daemon.pool.isClosing = true; // or a new session could start meanwhile
  try {
    const stopped = await stopAll(daemon.sessions, grace_ms);
    daemon.shutDown();
    return { stopped };
  } catch (error) {
    daemon.pool.isClosing = false; // the daemon goes on
    throw error;
  }
};

const RUNTIME = `bun ${Bun.version}`;

function healthOf(daemon: DaemonContext): Result<"health.info"> {
  const { clients, socket, startedAt, pool } = daemon;
  const sessions = daemon.live.counts();
  return {
    version: VERSION,
    runtime: RUNTIME,
    pid: process.pid,
    socket,
    executable: executableNow(),
    uptime_s: Math.floor((performance.now() - startedAt) / 1000),
    sessions,
    holders: sessions.starting + sessions.running,
    warm: pool.size,
    clients,
  };
}

/** Cached for a few milliseconds: some clients poll without a pause. */
const EXECUTABLE_CHECK_MS = 5;
let executable: ExecutableState = "current";
let nextCheck = 0;

function executableNow(): ExecutableState {
  const now = performance.now();
  if (now >= nextCheck) {
    executable = executableState();
    nextCheck = now + EXECUTABLE_CHECK_MS;
  }
  return executable;
}
