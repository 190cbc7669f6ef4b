/**
 * Stops the daemon, and with `stopSessions` every session first. Kills a daemon that does not
 * answer.
 */
import { DaemonClient } from "../../../client/daemon/daemon-client.ts";
import { daemonProcess, endDaemon } from "../../../client/daemon/end-daemon.ts";
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { stopAll } from "../../../client/sessions/end-many.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { endProgress } from "../sessions/end-progress.ts";

export interface StopDaemonOptions {
  stopSessions: boolean;
  graceMs: number | null;
}

/** More than it takes to ask every holder (client/reachable.ts). */
export const ALIVE_MS = 5000;
const GONE_MS = 5000;

export async function stopDaemon(
  sessions: LocalSessions,
  { stopSessions, graceMs }: StopDaemonOptions,
): Promise<{ stopped: string[] }> {
  using client = await DaemonClient.dial(sessions.layout);
  using _progress = stopSessions ? endProgress("stopped", () => sessions.living().length) : null;
  const grace = graceMs === null ? {} : { grace_ms: graceMs };
  const daemon = daemonProcess(sessions.layout);
  if (client !== null && (await answers(client))) {
    const { stopped } = await client.call("daemon.shutdown", { stop_sessions: stopSessions, ...grace });
    await client.waitForClose(GONE_MS);
    return { stopped };
  }
  if (daemon !== null) await endDaemon(daemon); // also if its socket was removed: it is unreachable but holds the lock
  return { stopped: stopSessions ? await stopAll(sessions, graceMs ?? undefined) : [] };
}

async function answers(client: DaemonClient): Promise<boolean> {
  try {
    await client.call("health.info", {}, { answerMs: ALIVE_MS });
    return true;
  } catch (error) {
    if (error instanceof HoltError && error.code !== "ETIMEOUT") return !client.isClosed;
    return false;
  }
}
