/**
 * Restart policy of a command. Each attempt is a session of its own, linked by
 * `previous_session_id`. The delay doubles with each attempt, up to a cap; a run of STABLE_RUN_MS
 * resets it.
 */
export const RESTART_WHEN = ["never", "on_failure", "always"] as const;
export type RestartWhen = (typeof RESTART_WHEN)[number];

export interface RestartPolicy {
  when: Exclude<RestartWhen, "never">;
  /** Most restarts in a row after short runs; null: no limit. */
  max_restarts: number | null;
  /** Delay before the first restart. */
  delay_ms: number;
}

/** The restart state of one attempt. */
export interface Restart extends RestartPolicy {
  /** Attempts before this one. */
  count: number;
  /** Those of them in a row that ended after a short run. */
  in_a_row: number;
  /** The time at which this attempt was due; null for the first. */
  starts_at: string | null;
}

/** Sent to the holder of a supervised session: this attempt is the last one, in any state. */
export const LAST_ATTEMPT_SIGNAL = "SIGUSR2";

export const DEFAULT_DELAY_MS = 1000;
export const MAX_DELAY_MS = 60_000;
/** One millisecond exceeds the cap after 16 doublings; the bound keeps the power finite. */
const MAX_DOUBLINGS = 16;
/** A run of at least this length counts as stable. */
export const STABLE_RUN_MS = 10_000;
export const DEFAULT_MAX_RESTARTS = { on_failure: 10, always: null } as const;

export interface AttemptEnd {
  failed: boolean;
  ranMs: number;
}

export type NextAttempt = { restart: Restart; delayMs: number } | "done" | "limit";

export function nextAttempt(restart: Restart, { failed, ranMs }: AttemptEnd, now: number): NextAttempt {
  if (!failed && restart.when === "on_failure") return "done";
  const before = ranMs >= STABLE_RUN_MS ? 0 : restart.in_a_row;
  if (restart.max_restarts !== null && before >= restart.max_restarts) return "limit";
  const doubled = restart.delay_ms * 2 ** Math.min(before, MAX_DOUBLINGS);
  const delayMs = Math.min(doubled, Math.max(MAX_DELAY_MS, restart.delay_ms));
  return {
    restart: {
      ...restart,
      count: restart.count + 1,
      in_a_row: before + 1,
      starts_at: new Date(now + delayMs).toISOString(),
    },
    delayMs,
  };
}

/** Drops sessions that have a later attempt: the name belongs to the latest one. */
export function latestAttempts<S extends { session_id: string; previous_session_id: string | null }>(
  sessions: readonly S[],
): S[] {
  const previous = new Set(sessions.map(({ previous_session_id }) => previous_session_id));
  return sessions.filter(({ session_id }) => !previous.has(session_id));
}
