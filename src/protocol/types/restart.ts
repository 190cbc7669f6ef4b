/**
 * Starting a command again when it has ended. Each attempt is a session of its own; they are linked by `previous_session_id`.
 * The wait before an attempt doubles with each one, up to a cap; a run that lasted a while starts the count anew.
 */
export const RESTART_WHEN = ["never", "on_failure", "always"] as const;
export type RestartWhen = (typeof RESTART_WHEN)[number];

export interface RestartPolicy {
  when: Exclude<RestartWhen, "never">;
  /** Of attempts in a row, none of which lasted; null: without end. */
  max_restarts: number | null;
  /** Before the first of them. */
  delay_ms: number;
}

/** What a supervised session knows of its chain. */
export interface Restart extends RestartPolicy {
  /** Attempts before this one. */
  count: number;
  /** Of these, the last ones, none of which lasted. */
  in_a_row: number;
  /** When this attempt was due; null for the first. */
  starts_at: string | null;
}

/** Tells the holder of a supervised session that this attempt is the last one, whatever state it is in. */
export const LAST_ATTEMPT_SIGNAL = "SIGUSR2";

export const DEFAULT_DELAY_MS = 1000;
export const MAX_DELAY_MS = 60_000;
/** A millisecond is past the cap by then; without an end it would be no number in the end. */
const MAX_DOUBLINGS = 16;
/** A run of this length was none of those that fail at once. */
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

/** Without those that were started again: the name, and the interest, have moved on to the next one. */
export function latestAttempts<S extends { session_id: string; previous_session_id: string | null }>(
  sessions: readonly S[],
): S[] {
  const previous = new Set(sessions.map(({ previous_session_id }) => previous_session_id));
  return sessions.filter(({ session_id }) => !previous.has(session_id));
}
