/** Which sessions go, and why. A session whose lock is held never does. */
import { closeSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, HoltError } from "../protocol/errors.ts";
import { DEFAULT_QUOTA_BYTES, DEFAULT_RETENTION_SECONDS, type Session } from "../protocol/session.ts";
import { clearBerths } from "./berth.ts";
import { clearStages } from "./clear-stages.ts";
import { sessionIds } from "./catalog.ts";
import { clearGroups } from "./groups.ts";
import type { Layout } from "./layout.ts";
import { readMeta } from "./read-records.ts";
import { orNull } from "./or-null.ts";
import { clearGraves, removeSession, takeAway } from "./removal.ts";
import { openSessions, SessionDir } from "./session-dir.ts";
import { removeStaleSockets, socketsOf } from "./stale-socket.ts";
import { noticeLoss, sessionFrom } from "./state.ts";
import { tellNews } from "./told-decisions.ts";

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
  /** On disk. */
  bytes: number;
}

/** As it is logged. */
export interface CleanupRecord {
  session_id: string;
  cleanup_result: CleanupDecision["result"];
  cleanup_reason: CleanupReason;
  bytes: number;
}

export interface SweepOptions {
  now?: number;
  /** For sessions that cannot be read; the others name their own. */
  ttlSeconds?: number;
  quotaBytes?: number;
  dryRun?: boolean;
  /** Told each removal and error, and what is kept once, until the reason changes. */
  log?: (record: CleanupRecord) => void;
}

/** Before anything is done about it. `endedAt` is null where a session cannot be told to have ended. */
interface Verdict {
  session_id: string;
  reason: CleanupReason;
  bytes: number;
  endedAt: number | null;
}

export function sweep(layout: Layout, options: SweepOptions = {}): CleanupDecision[] {
  const { now = Date.now(), ttlSeconds = DEFAULT_RETENTION_SECONDS, quotaBytes = DEFAULT_QUOTA_BYTES } = options;
  const dryRun = options.dryRun ?? false;
  if (!dryRun) {
    clearGraves(layout);
    clearBerths(layout);
    clearStages(layout);
    clearGroups(layout);
  }
  const verdicts = judgeAll(layout, { now, ttlMs: ttlSeconds * 1000, dryRun });
  applyQuota(verdicts, quotaBytes);
  const decisions = verdicts.map((verdict) => carryOut(layout, verdict, dryRun));
  const { log } = options;
  if (log !== undefined)
    tellNews(layout, decisions, ({ session_id, result, reason, bytes }) =>
      log({ session_id, cleanup_result: result, cleanup_reason: reason, bytes }),
    );
  return decisions;
}

interface Terms {
  now: number;
  ttlMs: number;
  dryRun: boolean;
}

function judgeAll(layout: Layout, terms: Terms): Verdict[] {
  const sessions = openSessions(layout);
  if (sessions === null) return [];
  try {
    return sessionIds(layout).flatMap((id) => {
      try {
        using dir = SessionDir.openIn(layout, sessions, id);
        const { verdict, session } = judge(dir, terms);
        if (session !== null && verdict.reason === "not_expired" && !terms.dryRun)
          removeStaleSockets(dir, socketsOf(layout, session));
        return verdict;
      } catch (error) {
        if (isNotFound(error)) return []; // removed meanwhile
        return { session_id: id, reason: "unreadable_stat_error", bytes: 0, endedAt: null } as const;
      }
    });
  } finally {
    closeSync(sessions);
  }
}

function judge(dir: SessionDir, { now, ttlMs, dryRun }: Terms): { verdict: Verdict; session: Session | null } {
  const { bytes, touchedAt } = measure(dir.path);
  const verdict = (reason: CleanupReason, endedAt: number | null, ended: Session | null = null) => ({
    verdict: { session_id: dir.id, reason, bytes, endedAt },
    session: ended,
  });
  if (orNull(() => dir.isHeld()) === true) return verdict("active_session", null);
  const session = orNull(() => (readMeta(dir) === null ? null : sessionFrom(dir)));
  if (session === null)
    return verdict(touchedAt + ttlMs <= now ? "unreadable_expired" : "unreadable_not_expired", null);
  if (session.ended_at === null) return verdict("active_session", null); // began just now
  if (session.reason === "holder_lost" && orNull(() => noticeLoss(dir, now, dryRun ? "look" : "say")) === true)
    return verdict("not_expired", now, session);
  const endedAt = Date.parse(session.ended_at);
  const isOver = endedAt + session.retention_seconds * 1000 <= now;
  return verdict(isOver ? "expired" : "not_expired", endedAt, session);
}

/** The ones that ended first go first, until what stays fits. */
function applyQuota(verdicts: Verdict[], quotaBytes: number): void {
  let total = 0;
  for (const { reason, bytes } of verdicts) if (!isRemoval(reason)) total += bytes;
  const ended = verdicts.filter(({ reason }) => reason === "not_expired");
  ended.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  for (const verdict of ended) {
    if (total <= quotaBytes) return;
    verdict.reason = "quota";
    total -= verdict.bytes;
  }
}

function carryOut(layout: Layout, { session_id, reason, bytes }: Verdict, dryRun: boolean): CleanupDecision {
  if (reason === "unreadable_stat_error") return { session_id, result: "error", reason, bytes };
  if (!isRemoval(reason)) return { session_id, result: "kept", reason, bytes };
  try {
    if (dryRun || takeAway(layout, session_id)) return { session_id, result: "removed", reason, bytes };
    return { session_id, result: "kept", reason: "active_session", bytes };
  } catch (error) {
    if (isNotFound(error)) return { session_id, result: "removed", reason, bytes }; // by another sweep
    return { session_id, result: "error", reason: "remove_error", bytes };
  }
}

function isRemoval(reason: CleanupReason): boolean {
  return reason === "expired" || reason === "unreadable_expired" || reason === "quota";
}

/** Bytes on disk of everything in it, and the newest mtime of the directory and its direct children. */
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

/** Removed meanwhile, before it was opened or after. */
function isNotFound(error: unknown): boolean {
  return (error instanceof HoltError && error.code === "ENOTFOUND") || errnoOf(error) === "ENOENT";
}
