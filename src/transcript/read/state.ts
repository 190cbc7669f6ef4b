/** Derives the state of a session from its directory alone. */
import { closeSync, fstatSync, futimesSync } from "node:fs";
import { isSame } from "../../platform/process/processes.ts";
import { survivorsOf } from "../../platform/process/survivors.ts";
import {
  DEFAULT_MAX_OUTPUT_BYTES,
  DEFAULT_RETENTION_SECONDS,
  type Final,
  type Meta,
  type Session,
} from "../../protocol/types/session.ts";
import { isSessionId } from "../../protocol/types/session-id.ts";
import { lastRecord } from "./index-file.ts";
import { endOf } from "../index-record.ts";
import { NewestEvents } from "./read-events.ts";
import { readFinal, readMeta } from "./read-records.ts";
import type { Artifact, SessionDir } from "../session-dir.ts";

export interface StateOptions {
  /** Find processes that a lost holder left running; this scans all processes. */
  survivors?: boolean;
  /** Called for each one found. */
  found?: (pid: number) => void;
}

const NOT_QUIET = { quiet: false, quiet_since: null };

/** `unclaimed`: created, but not yet locked or recorded by its holder. */
export type Life = { kind: "unclaimed" } | { kind: "held" } | { kind: "final"; final: Final } | { kind: "lost" };

/**
 * The order of these steps proves a loss. A holder locks, then writes meta.json; at the end it
 * writes final.json, then unlocks. So a session is lost if meta.json existed, then the lock was
 * free, and then final.json was still missing.
 */
export function lifeOf(dir: SessionDir): Life {
  const early = readFinal(dir);
  if (early !== null) return { kind: "final", final: early };
  const wasBorn = dir.has("meta.json");
  if (dir.isHeld()) return { kind: "held" };
  const late = readFinal(dir);
  if (late !== null) return { kind: "final", final: late };
  return { kind: wasBorn ? "lost" : "unclaimed" };
}

/** Null if neither meta.json nor final.json can be read. */
export function sessionFrom(
  dir: SessionDir,
  { survivors = false, found = () => {} }: StateOptions = {},
): Session | null {
  const life = lifeOf(dir);
  const meta = readMeta(dir);
  const events = new NewestEvents(dir);
  if (life.kind === "final")
    return {
      ...finishedSession(meta ?? metaFrom(life.final), life.final),
      survivors: survivors ? stillRunning(life.final, meta, found) : [],
      next_session_id: nextAttemptOf(events, meta),
      current_size: currentSize(events, meta),
    };
  if (meta === null) return null;
  const session =
    life.kind === "lost"
      ? { ...lost(dir, meta, events), survivors: survivors ? survivorsOf(meta.session_id, meta.process, found) : [] }
      : living(dir, meta, events);
  return { ...session, current_size: currentSize(events, meta) };
}

function living(dir: SessionDir, meta: Meta, events: NewestEvents): Session {
  const since = events.quietSince();
  return {
    ...startedSession(meta),
    output_bytes: producedIn(dir, events),
    truncated: events.gap() !== null,
    quiet: since !== null,
    quiet_since: since,
  };
}

/** A session known by its record alone. */
export function startedSession(meta: Meta): Session {
  return {
    ...meta,
    state: meta.process === null ? "starting" : "running",
    reason: null,
    exit_code: null,
    signal: null,
    ended_at: null,
    duration_ms: null,
    output_bytes: 0,
    output_complete: null,
    input_unread: null,
    truncated: false,
    usage: null,
    error: null,
    survivors: [],
    current_size: sizeAtStart(meta),
    next_session_id: null,
    ...NOT_QUIET,
  };
}

function sizeAtStart({ size }: Meta): Session["current_size"] {
  return size === null ? null : { cols: size.cols, rows: size.rows };
}

function currentSize(events: NewestEvents, meta: Meta | null): Session["current_size"] {
  if (meta === null || meta.size === null) return null;
  const last = events.newest("resize");
  const [cols, rows] = [last?.["cols"], last?.["rows"]];
  return typeof cols === "number" && typeof rows === "number" ? { cols, rows } : sizeAtStart(meta);
}

/** An ended session, from its meta.json and final.json. */
export function finishedSession(
  meta: Meta,
  { format: _format, session_id: _id, ended_uptime: _uptime, ...final }: Final,
): Session {
  return { ...meta, ...final, survivors: [], current_size: sizeAtStart(meta), next_session_id: null, ...NOT_QUIET };
}

/** Survivors that still run, and the processes that they started. */
function stillRunning(
  { session_id, survivors }: Final,
  meta: Meta | null,
  found: NonNullable<StateOptions["found"]>,
): number[] {
  if (survivors.length === 0) return [];
  const known = survivors.filter(isSame).map(({ pid }) => pid);
  known.forEach(found);
  return [...new Set([...known, ...survivorsOf(session_id, meta?.process ?? null, found)])];
}

/**
 * No file records when a holder died. Known are its last write, and the time at which the loss was
 * noticed (markLost).
 */
function lost(dir: SessionDir, meta: Meta, events: NewestEvents): Session {
  const wroteAt = lastWritten(dir);
  const endedAt = Math.max(wroteAt, Math.floor(fileOf(dir, "append.lock").mtimeMs));
  return {
    ...meta,
    state: "failed",
    reason: "holder_lost",
    exit_code: null,
    signal: null,
    ended_at: new Date(endedAt).toISOString(),
    duration_ms: Math.max(0, wroteAt - events.clockShift() - Date.parse(meta.started_at ?? meta.created_at)),
    output_bytes: producedIn(dir, events),
    output_complete: false,
    input_unread: null,
    truncated: events.gap() !== null,
    usage: null,
    error: { code: "EINTERNAL", message: "the holder died: how the command ended is not known" },
    survivors: [],
    current_size: sizeAtStart(meta),
    next_session_id: nextAttemptOf(events, meta),
    ...NOT_QUIET,
  };
}

/**
 * Bytes that the command has printed. In a gap output.bin does not grow; the index then has the
 * number.
 */
export function producedIn(dir: SessionDir, events = new NewestEvents(dir)): number {
  const { size } = fileOf(dir, "output.bin");
  const index = events.gap()?.to === null ? dir.openIfThere("index.jsonl", "read") : null;
  if (index === null) return size;
  try {
    const last = lastRecord(index, fstatSync(index).size);
    return last === null ? size : Math.max(size, endOf(last));
  } finally {
    closeSync(index);
  }
}

function lastWritten(dir: SessionDir): number {
  const artifacts: Artifact[] = ["meta.json", "output.bin", "index.jsonl", "events.jsonl"];
  return Math.floor(Math.max(...artifacts.map((name) => fileOf(dir, name).mtimeMs)));
}

/**
 * Records when the loss of a holder was noticed, as the mtime of its lock, which no other code
 * changes. Without it, a session that was silent for a day before its holder died would count as
 * ended, and expired, since its last output. Returns false if the time is recorded already. With
 * "check" nothing is written.
 */
export function markLost(dir: SessionDir, now: number, how: "mark" | "check"): boolean {
  const lock = dir.openIfThere("append.lock", "read");
  if (lock === null) return false;
  try {
    if (fstatSync(lock).mtimeMs > lastWritten(dir)) return false;
    if (how === "mark") futimesSync(lock, now / 1000, now / 1000);
    return true;
  } finally {
    closeSync(lock);
  }
}

/** The holder recorded the next attempt before its end. */
function nextAttemptOf(events: NewestEvents, meta: Meta | null): string | null {
  if (meta === null || meta.restart === null) return null;
  const id = events.newest("restart")?.["next_session_id"];
  return typeof id === "string" && isSessionId(id) ? id : null;
}

/** Stands in for a damaged meta.json: the command is unknown, the outcome is not. */
function metaFrom(final: Final): Meta {
  return {
    format: final.format,
    session_id: final.session_id,
    name: null,
    argv: [],
    cwd: "",
    env_keys: [],
    transport_mode: "pipe",
    tty_attached: false,
    size: null,
    project_id: null,
    shared: false,
    retention_seconds: DEFAULT_RETENTION_SECONDS,
    max_output_bytes: DEFAULT_MAX_OUTPUT_BYTES,
    created_at: final.started_at ?? final.ended_at,
    started_at: final.started_at,
    process: null,
    holder: { pid: 0, start_time: null, boot_id: null },
    socket: null,
    holt_version: "",
    previous_session_id: null,
    restart: null,
    limits: null,
    linger: false,
    timeout_ms: null,
    idle_timeout_ms: null,
    client_rules: null,
    started_by: null,
    channels: [],
  };
}

function fileOf(dir: SessionDir, name: Artifact): { size: number; mtimeMs: number } {
  const fd = dir.openIfThere(name, "read");
  if (fd === null) return { size: 0, mtimeMs: 0 };
  try {
    return fstatSync(fd);
  } finally {
    closeSync(fd);
  }
}
