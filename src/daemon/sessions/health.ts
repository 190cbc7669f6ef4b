/** What `health.info` answers. */
import { type ExecutableState, executableState } from "../../platform/process/own-executable.ts";
import type { Result } from "../../protocol/methods/table.schema.ts";
import { VERSION } from "../../protocol/types/version.ts";
import type { DaemonContext } from "../daemon-context.ts";

const RUNTIME = `bun ${Bun.version}`;

export function healthOf(daemon: DaemonContext): Result<"health.info"> {
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

/** Looked at every few milliseconds: some ask all the time. */
const LOOK_MS = 5;
let executable: ExecutableState = "current";
let lookAt = 0;

function executableNow(): ExecutableState {
  const now = performance.now();
  if (now >= lookAt) {
    executable = executableState();
    lookAt = now + LOOK_MS;
  }
  return executable;
}
