/**
 * Decides whether an ended session has expired. The wall clock alone cannot decide: it may be wrong
 * now, or have been wrong when the session ended. A sweep marks an expired session, and a sweep 10
 * minutes of uptime later removes it if it is still expired.
 */
import type { Uptime } from "../../protocol/types/session.ts";

/** Uptime between mark and removal. */
export const CONFIRM_MS = 10 * 60 * 1000;
/** Allowed drift between wall clock and uptime: clocks are adjusted all the time. */
const TOLERANCE_MS = 60 * 1000;

export interface ClockReading extends Uptime {
  /** The wall clock, in milliseconds. */
  wall: number;
}

export interface EndTime {
  /** Time of the end by the wall clock of that time. */
  at: number;
  /** Uptime at the end; null if not recorded. */
  uptime: Uptime | null;
  keptMs: number;
}

/** A line of log/expiring. */
export interface ExpiryMark {
  /** When its recorded end was found to be wrong; its retention counts from here. */
  noticed: ClockReading | null;
  /** When it was first found expired. */
  expired: ClockReading | null;
}

export type Expiry = "not_expired" | "marked" | "due";

export function judgeExpiry(
  ended: EndTime,
  mark: ExpiryMark | null,
  now: ClockReading,
): { expiry: Expiry; mark: ExpiryMark | null } {
  const noticed = noticedAt(ended, mark?.noticed ?? null, now);
  if (ageOf(ended, noticed, now) < ended.keptMs) {
    return { expiry: "not_expired", mark: noticed === null ? null : { noticed, expired: null } };
  }
  const expired = mark?.expired ?? null;
  if (expired !== null && isConfirmed(expired, now)) return { expiry: "due", mark };
  return { expiry: "marked", mark: { noticed, expired: expired ?? now } };
}

/** For `holt gc`, which trusts the wall clock. */
export function isExpiredByWall({ at, keptMs }: EndTime, wall: number): boolean {
  return at + keptMs <= wall;
}

function noticedAt(ended: EndTime, before: ClockReading | null, now: ClockReading): ClockReading | null {
  const byWall = now.wall - ended.at;
  const byUptime = ended.uptime === null ? null : uptimeSince(ended.uptime, now);
  if (byUptime !== null && Math.abs(byWall - byUptime) <= TOLERANCE_MS) return null;
  // The recorded end cannot be checked after a reboot: an earlier `noticed` stays.
  if (byUptime === null && byWall >= -TOLERANCE_MS && before === null) return null;
  return before !== null && since(before, now) >= -TOLERANCE_MS ? before : now;
}

function ageOf(ended: EndTime, noticed: ClockReading | null, now: ClockReading): number {
  const byWall = now.wall - ended.at;
  if (noticed === null) return byWall;
  const counted = since(noticed, now);
  return byWall < 0 ? counted : Math.min(byWall, counted);
}

/** Across boots only the wall clock can be compared. */
function since(then: ClockReading, now: ClockReading): number {
  return uptimeSince(then, now) ?? now.wall - then.wall;
}

function isConfirmed(marked: ClockReading, now: ClockReading): boolean {
  return (uptimeSince(marked, now) ?? now.uptime_ms) >= CONFIRM_MS;
}

/** Null for another boot. */
function uptimeSince(then: Uptime, now: Uptime): number | null {
  return then.boot_id === now.boot_id && then.uptime_ms <= now.uptime_ms ? now.uptime_ms - then.uptime_ms : null;
}
