/** What became of a session's command, as its last record tells. */
import { signalName } from "../platform/signals.ts";
import type { ResourceUsage } from "../platform/wait.ts";
import type { FinalReason, FinalState, ProcessIdentity, Usage } from "../protocol/session.ts";
import type { SpawnFailure } from "../process/resolve-command.ts";
import type { Ending } from "../process/transport.ts";

export interface Outcome {
  state: FinalState;
  reason: FinalReason;
  exitCode: number | null;
  signal: string | null;
  outputComplete: boolean;
  usage: Usage | null;
  error: { code: string; message: string } | null;
  /** Processes that live on. */
  survivors?: readonly ProcessIdentity[];
}

export function endedAs(
  ending: Ending,
  usage: ResourceUsage,
  also: { reason: FinalReason; outputComplete: boolean; survivors: readonly ProcessIdentity[] },
): Outcome {
  return {
    state: ending.kind,
    exitCode: ending.kind === "exited" ? ending.code : null,
    signal: ending.kind === "signaled" ? signalName(ending.signal) : null,
    usage: usageOf(usage),
    error: null,
    ...also,
  };
}

/** The command could not be started at all. */
export function neverStarted({ exitCode, code, message }: SpawnFailure): Outcome {
  return {
    state: "failed",
    reason: "spawn_failed",
    exitCode,
    signal: null,
    outputComplete: true,
    usage: null,
    error: { code, message },
  };
}

function usageOf({ userMs, systemMs, maxRssKb }: ResourceUsage): Usage {
  const user = Math.round(userMs);
  const system = Math.round(systemMs);
  return { cpu_ms: user + system, cpu_user_ms: user, cpu_system_ms: system, max_rss_kb: maxRssKb };
}
