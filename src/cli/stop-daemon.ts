/** Ends the daemon, and with `stopSessions` every session before it. */
import { DaemonClient } from "../client/daemon-client.ts";
import type { LocalSessions } from "../client/local-sessions.ts";
import { stopAll } from "../client/stop-all.ts";
import { isFinal } from "../protocol/session.ts";
import { plural } from "./format.ts";
import { writeErr } from "./output.ts";
import { stderrStyle } from "./style.ts";

export interface StopDaemonOptions {
  stopSessions: boolean;
  graceMs: number | null;
}

const PROGRESS_MS = 500;

export async function stopDaemon(
  sessions: LocalSessions,
  { stopSessions, graceMs }: StopDaemonOptions,
): Promise<{ stopped: string[] }> {
  using client = await DaemonClient.dial(sessions.layout);
  using _progress = stopSessions ? progress(sessions) : null;
  const grace = graceMs === null ? {} : { grace_ms: graceMs };
  if (client === null) return { stopped: stopSessions ? await stopAll(sessions, graceMs ?? undefined) : [] };
  const { stopped } = await client.call("daemon.shutdown", { stop_sessions: stopSessions, ...grace });
  await client.gone;
  return { stopped };
}

/** What it waits for, on a terminal, once that takes longer than a moment. */
function progress(sessions: LocalSessions): Disposable {
  if (!stderrStyle().tty) return { [Symbol.dispose]() {} };
  let isShown = false;
  const timer = setInterval(() => {
    const living = sessions.list().filter(({ state }) => !isFinal(state)).length;
    writeErr(`\r\x1b[Kstopping: ${plural(living, "session")} left`);
    isShown = true;
  }, PROGRESS_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      if (isShown) writeErr("\r\x1b[K");
    },
  };
}
