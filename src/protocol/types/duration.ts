/** Parses and formats durations. */
import { HoltError } from "./errors.ts";

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DAY_MS = 24 * 3600 * 1000;
/** The longest duration that a session can be given: a year. */
export const MAX_DURATION_MS = 365 * DAY_MS;
/** The longest wait of one timer: setTimeout takes up to 24.8 days. */
export const MAX_TIMER_MS = 24 * DAY_MS;

/** "90s", "15m", "1h30m", "1500ms" to milliseconds; null when it is not a duration. */
export function parseDuration(text: string): number | null {
  if (!/^(\d+(ms|s|m|h|d))+$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|s|m|h|d)/g))
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  return Number.isSafeInteger(total) ? total : null;
}

/**
 * Retention is stored in whole seconds; a duration with a fraction of a second is refused, not
 * rounded.
 */
export function parseRetention(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || ms <= 0 || ms % 1000 !== 0) {
    throw new HoltError("EBADARGS", `invalid --retention: "${text}"`, {
      hint: "use a positive duration of whole seconds, e.g. 90s, 15m, 1h30m, 7d",
    });
  }
  return ms / 1000;
}

/** A rough age for display: "9s", "2m", "3h", "4d". */
export function formatAge(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h`;
  return `${Math.floor(s / 86_400)}d`;
}
