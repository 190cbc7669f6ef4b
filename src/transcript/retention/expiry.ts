/**
 * Whether an ended session is to go. The wall clock alone does not decide: it may be wrong for a moment, or may have been wrong when the session ended. So a sweep marks
 * a session that it finds expired, and one that finds it still expired ten minutes of uptime later removes it.
 */
import type { Uptime } from "../../protocol/types/session.ts";

/** Uptime between the mark and the removal. */
export const CONFIRM_MS = 10 * 60 * 1000;
/** The wall clock and the uptime may differ by so much, as a clock is adjusted all the time. */
const TOLERANCE_MS = 60 * 1000;

export interface ClockReading extends Uptime {
  /** The wall clock, in milliseconds. */
  wall: number;
}

export interface EndTime {
  /** By the wall clock of then. */
  at: number;
  /** Null where that was not recorded. */
  uptime: Uptime | null;
  keptMs: number;
}

/** What log/expiring keeps of a session between sweeps. */
export interface ExpiryMark {
  /** When its time of end was first found to be wrong: its time counts from here. */
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

/** For a person who asks now, the wall clock is right. */
export function isExpiredByWall({ at, keptMs }: EndTime, wall: number): boolean {
  return at + keptMs <= wall;
}

function noticedAt(ended: EndTime, before: ClockReading | null, now: ClockReading): ClockReading | null {
  const byWall = now.wall - ended.at;
  const byUptime = ended.uptime === null ? null : uptimeSince(ended.uptime, now);
  if (byUptime !== null && Math.abs(byWall - byUptime) <= TOLERANCE_MS) return null;
  // Its recorded end can no longer be checked: the time noticed earlier stays.
  if (byUptime === null && byWall >= -TOLERANCE_MS && before === null) return null;
  return before !== null && since(before, now) >= -TOLERANCE_MS ? before : now;
}

function ageOf(ended: EndTime, noticed: ClockReading | null, now: ClockReading): number {
  const byWall = now.wall - ended.at;
  if (noticed === null) return byWall;
  const counted = since(noticed, now);
  return byWall < 0 ? counted : Math.min(byWall, counted);
}

/** In an earlier boot the only clock in common is that of the wall. */
function since(then: ClockReading, now: ClockReading): number {
  return uptimeSince(then, now) ?? now.wall - then.wall;
}

function isConfirmed(marked: ClockReading, now: ClockReading): boolean {
  return (uptimeSince(marked, now) ?? now.uptime_ms) >= CONFIRM_MS;
}

/** Null in another boot. */
function uptimeSince(then: Uptime, now: Uptime): number | null {
  return then.boot_id === now.boot_id && then.uptime_ms <= now.uptime_ms ? now.uptime_ms - then.uptime_ms : null;
}
