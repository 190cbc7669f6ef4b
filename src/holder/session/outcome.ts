/** The outcome of a session's command, as `final.json` records it. */
import { signalName } from "../../platform/process/signals.ts";
import type { ResourceUsage } from "../../platform/process/wait.ts";
import type { Limits } from "../../protocol/types/limits.ts";
import type { FinalReason, FinalState, ProcessIdentity, Usage } from "../../protocol/types/session.ts";
import type { SpawnFailure } from "../../process/resolve-command.ts";
import type { CommandEnd } from "../../process/transport.ts";

/** The same numbers on Linux and macOS. */
const SIGXCPU = 24;
const SIGXFSZ = 25;

export interface SessionOutcome {
  state: FinalState;
  reason: FinalReason;
  exitCode: number | null;
  signal: string | null;
  outputComplete: boolean;
  usage: Usage | null;
  error: { code: string; message: string } | null;
  /** Processes that outlive the session. */
  survivors?: readonly ProcessIdentity[];
}

export function endedOutcome(
  ending: CommandEnd,
  usage: ResourceUsage,
  also: { reason: FinalReason; outputComplete: boolean; survivors: readonly ProcessIdentity[] },
): SessionOutcome {
  return {
    state: ending.kind,
    exitCode: ending.kind === "exited" ? ending.code : null,
    signal: ending.kind === "signaled" ? signalName(ending.signal) : null,
    usage: usageOf(usage),
    error: null,
    ...also,
  };
}

/** The command could not be started (`failure`), or its start was canceled. */
export function notStartedOutcome(reason: FinalReason, failure: SpawnFailure | null = null): SessionOutcome {
  return {
    state: "failed",
    reason,
    exitCode: failure?.exitCode ?? null,
    signal: null,
    outputComplete: true,
    usage: null,
    error: failure === null ? null : { code: failure.code, message: failure.message },
  };
}

function usageOf({ userMs, systemMs, maxRssKb }: ResourceUsage): Usage {
  const user = Math.round(userMs);
  const system = Math.round(systemMs);
  return { cpu_ms: user + system, cpu_user_ms: user, cpu_system_ms: system, max_rss_kb: maxRssKb };
}

/**
 * SIGXCPU and SIGXFSZ have no other meaning than a limit. Any other limit shows as a failed call
 * (ENOMEM, EMFILE, EAGAIN), and the program's reaction cannot be told from an ordinary end: it
 * counts as completed.
 */
export function reasonOf(ending: CommandEnd, limits: Limits | null): FinalReason {
  if (limits === null || ending.kind === "exited") return "completed";
  const isOver =
    (ending.signal === SIGXCPU && limits.cpu_ms !== null) ||
    (ending.signal === SIGXFSZ && limits.file_size_bytes !== null);
  return isOver ? "limit_exceeded" : "completed";
}
