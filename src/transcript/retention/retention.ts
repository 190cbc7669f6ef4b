/** Decides which sessions are removed, and why. A session whose lock is held stays. */
import { closeSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { uptimeNow } from "../../platform/process/uptime.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import {
  DEFAULT_QUOTA_BYTES,
  DEFAULT_RETENTION_SECONDS,
  type Session,
  type Uptime,
} from "../../protocol/types/session.ts";
import { clearReservedDirs } from "../write/reserved-dir.ts";
import { sessionIds } from "../read/catalog.ts";
import {
  type EndTime,
  type Expiry,
  isExpiredByWall,
  judgeExpiry,
  type ExpiryMark,
  type ClockReading,
} from "./expiry.ts";
import { clearGroups } from "./control-groups.ts";
import type { Layout } from "../layout.ts";
import { ExpiryMarks } from "./expiry-marks.ts";
import { readFinal, readMeta } from "../read/read-records.ts";
import { orNull } from "../or-null.ts";
import { clearRemoved, removeSession, removeIfEnded } from "./removal.ts";
import { openSessions, SessionDir } from "../session-dir.ts";
import { removeStaleSockets, socketsOf } from "./stale-socket.ts";
import { markLost, sessionFrom } from "../read/state.ts";
import { logChanges } from "./logged-decisions.ts";

export { removeSession };

export type CleanupReason =
  | "not_expired"
  | "active_session"
  | "expired"
  | "unreadable_not_expired"
  | "unreadable_expired"
  | "unreadable_stat_error"
  | "remove_error"
  | "quota";

export interface CleanupDecision {
  session_id: string;
  result: "kept" | "removed" | "error";
  reason: CleanupReason;
  /** Bytes on disk. */
  bytes: number;
}

/** The log record of a decision. */
export interface CleanupRecord {
  session_id: string;
  cleanup_result: CleanupDecision["result"];
  cleanup_reason: CleanupReason;
  bytes: number;
}

export interface SweepOptions {
  now?: number;
  uptime?: Uptime;
  /**
   * `mark`: an expired session is removed only if a sweep 10 minutes of uptime later still finds it
   * expired. `holt gc` removes at once.
   */
  expired?: "remove" | "mark";
  /** Retention of unreadable sessions; the others have their own. */
  ttlSeconds?: number;
  quotaBytes?: number;
  dryRun?: boolean;
  /** Receives each removal and error, and each kept session once per reason. */
  log?: (record: CleanupRecord) => void;
}

/**
 * A decision before it is carried out. `endedAt` is null if the session is not known to have ended.
 */
interface Verdict {
  session_id: string;
  reason: CleanupReason;
  isDue: boolean;
  bytes: number;
  endedAt: number | null;
}

export function sweep(layout: Layout, options: SweepOptions = {}): CleanupDecision[] {
  const { now: wall = Date.now(), uptime = uptimeNow(), expired = "remove" } = options;
  const { ttlSeconds = DEFAULT_RETENTION_SECONDS, quotaBytes = DEFAULT_QUOTA_BYTES } = options;
  const dryRun = options.dryRun ?? false;
  if (!dryRun) {
    clearRemoved(layout);
    clearReservedDirs(layout);
    clearGroups(layout);
  }
  const marks = ExpiryMarks.read(layout);
  const verdicts = judgeAll(layout, { now: { wall, ...uptime }, ttlMs: ttlSeconds * 1000, dryRun, expired, marks });
  applyQuota(verdicts, quotaBytes);
  const decisions = verdicts.map((verdict) => carryOut(layout, verdict, dryRun));
  const { log } = options;
  if (log !== undefined)
    logChanges(layout, decisions, ({ session_id, result, reason, bytes }) =>
      log({ session_id, cleanup_result: result, cleanup_reason: reason, bytes }),
    );
  // Last: a failed save must not stop the sweep.
  if (!dryRun) marks.save();
  return decisions;
}

interface Terms {
  now: ClockReading;
  ttlMs: number;
  dryRun: boolean;
  expired: "remove" | "mark";
  marks: ExpiryMarks;
}

function judgeAll(layout: Layout, terms: Terms): Verdict[] {
  const sessions = openSessions(layout);
  if (sessions === null) return [];
  try {
    return sessionIds(layout).flatMap((id) => {
      try {
        using dir = SessionDir.openIn(layout, sessions, id);
        const { verdict, session } = judge(dir, terms);
        if (session !== null && !verdict.isDue && !terms.dryRun) removeStaleSockets(dir, socketsOf(layout, session));
        return verdict;
      } catch (error) {
        if (isNotFound(error)) return []; // removed meanwhile
        return { session_id: id, reason: "unreadable_stat_error", isDue: false, bytes: 0, endedAt: null } as const;
      }
    });
  } finally {
    closeSync(sessions);
  }
}

function judge(dir: SessionDir, terms: Terms): { verdict: Verdict; session: Session | null } {
  const { now, ttlMs, dryRun, marks } = terms;
  const { bytes, touchedAt } = measure(dir.path);
  const active = { session_id: dir.id, reason: "active_session", isDue: false, bytes, endedAt: null } as const;
  if (orNull(() => dir.isHeld()) === true) return { verdict: active, session: null };
  const session = orNull(() => (readMeta(dir) === null ? null : sessionFrom(dir)));
  if (session === null) {
    const expiry = expiryOf(dir.id, touchedAt, { at: touchedAt, uptime: null, keptMs: ttlMs }, terms);
    const reason = expiry === "not_expired" ? "unreadable_not_expired" : "unreadable_expired";
    return { verdict: { ...active, reason, isDue: expiry === "due" }, session: null };
  }
  if (session.ended_at === null) return { verdict: active, session: null }; // it has just started
  const born = Date.parse(session.created_at);
  if (session.reason === "holder_lost" && orNull(() => markLost(dir, now.wall, dryRun ? "check" : "mark")) === true) {
    marks.set(dir.id, born, { noticed: now, expired: null });
    return { verdict: { ...active, reason: "not_expired", endedAt: now.wall }, session };
  }
  const endedAt = Date.parse(session.ended_at);
  const uptime = orNull(() => readFinal(dir))?.ended_uptime ?? null;
  const expiry = expiryOf(dir.id, born, { at: endedAt, uptime, keptMs: session.retention_seconds * 1000 }, terms);
  const reason = expiry === "not_expired" ? "not_expired" : "expired";
  return { verdict: { ...active, reason, isDue: expiry === "due", endedAt }, session };
}

function expiryOf(id: string, born: number, ended: EndTime, { now, expired, marks }: Terms): Expiry {
  const before = marks.of(id, born);
  const { expiry, mark } = expired === "mark" ? judgeExpiry(ended, before, now) : atOnce(ended, before, now);
  marks.set(id, born, mark);
  return expiry;
}

function atOnce(
  ended: EndTime,
  before: ExpiryMark | null,
  { wall }: ClockReading,
): { expiry: Expiry; mark: ExpiryMark | null } {
  const noticed = before?.noticed ?? null;
  return {
    expiry: isExpiredByWall(ended, wall) ? "due" : "not_expired",
    mark: noticed === null ? null : { noticed, expired: null },
  };
}

/** Removes sessions in the order of their end until the rest fits. */
function applyQuota(verdicts: Verdict[], quotaBytes: number): void {
  let total = 0;
  for (const { isDue, bytes } of verdicts) if (!isDue) total += bytes;
  const ended = verdicts.filter(({ isDue, endedAt }) => !isDue && endedAt !== null);
  ended.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  for (const verdict of ended) {
    if (total <= quotaBytes) return;
    verdict.reason = "quota";
    verdict.isDue = true;
    total -= verdict.bytes;
  }
}

function carryOut(layout: Layout, { session_id, reason, isDue, bytes }: Verdict, dryRun: boolean): CleanupDecision {
  if (reason === "unreadable_stat_error") return { session_id, result: "error", reason, bytes };
  if (!isDue) return { session_id, result: "kept", reason, bytes };
  try {
    if (dryRun || removeIfEnded(layout, session_id)) return { session_id, result: "removed", reason, bytes };
    return { session_id, result: "kept", reason: "active_session", bytes };
  } catch (error) {
    if (isNotFound(error)) return { session_id, result: "removed", reason, bytes }; // another sweep removed it
    return { session_id, result: "error", reason: "remove_error", bytes };
  }
}

/**
 * Bytes on disk of the directory tree, and the newest mtime of the directory and its direct
 * children.
 */
function measure(path: string): { bytes: number; touchedAt: number } {
  let bytes = 0;
  let touchedAt = lstatSync(path).mtimeMs;
  for (const name of readdirSync(path)) {
    const entry = lstatSync(join(path, name), { throwIfNoEntry: false });
    if (entry === undefined) continue;
    touchedAt = Math.max(touchedAt, entry.mtimeMs);
    bytes += entry.isDirectory() ? measure(join(path, name)).bytes : entry.blocks * 512;
  }
  return { bytes, touchedAt };
}

/** Whether the session was removed meanwhile, before or after it was opened. */
function isNotFound(error: unknown): boolean {
  return (error instanceof HoltError && error.code === "ENOTFOUND") || errnoOf(error) === "ENOENT";
}
