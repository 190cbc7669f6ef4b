/** `meta.json` and `final.json`. What is not a whole, valid record reads as none. */
import { closeSync } from "../platform/fs.ts";
import { CHANNEL_FORMATS, CHANNEL_SOURCES, type ChannelSpec } from "../protocol/channels.ts";
import type { Limits } from "../protocol/limits.ts";
import { metaText } from "../protocol/new-meta.ts";
import type { Restart } from "../protocol/restart.ts";
import type { Final, FinalState, Meta, TransportMode } from "../protocol/session.ts";
import { FINAL_REASONS } from "../protocol/session.ts";
import { isSessionId } from "../protocol/session-id.ts";
import { Draft } from "./draft.ts";
import { readStart } from "./read-at.ts";
import type { SessionDir } from "./session-dir.ts";
import {
  amount,
  count,
  flag,
  integer,
  list,
  nullable,
  oneOf,
  orElse,
  orMissing,
  parseJson,
  fields,
  text,
  time,
} from "./shape.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";

/** An argv may fill ARG_MAX, 2 MiB on Linux. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const FINAL_BYTES = 4096;

const TRANSPORT_MODES: readonly TransportMode[] = ["posix-pty", "windows-conpty", "pipe"];
const FINAL_STATES: readonly FinalState[] = ["exited", "signaled", "failed"];

const sessionId = (value: unknown) => (typeof value === "string" && isSessionId(value) ? value : undefined);
const identity = fields({ pid: count, start_time: nullable(count), boot_id: nullable(text) });

const restart = fields<Restart>({
  when: oneOf(["on_failure", "always"] as const),
  max_restarts: nullable(count),
  delay_ms: count,
  count,
  in_a_row: count,
  starts_at: nullable(time),
});

const limits = fields<Limits>({
  cpu_ms: orMissing(count),
  memory_bytes: orMissing(count),
  files: orMissing(count),
  processes: orMissing(count),
  file_size_bytes: orMissing(count),
  session_memory_bytes: orMissing(count),
  session_processes: orMissing(count),
});

const channel = fields<ChannelSpec>({
  name: text,
  format: oneOf(CHANNEL_FORMATS),
  source: oneOf(CHANNEL_SOURCES),
  path: orMissing(text),
});

const meta = fields<Meta>({
  format: count,
  session_id: sessionId,
  name: nullable(text),
  argv: list(text),
  cwd: text,
  env_keys: list(text),
  transport_mode: oneOf(TRANSPORT_MODES),
  tty_attached: flag,
  size: nullable(fields({ cols: count, rows: count, width: count, height: count })),
  project_id: nullable(text),
  shared: flag,
  retention_seconds: count,
  max_output_bytes: count,
  created_at: time,
  started_at: nullable(time),
  process: nullable(identity),
  holder: identity,
  socket: nullable(text),
  holt_version: text,
  previous_session_id: orMissing(sessionId),
  restart: orMissing(restart),
  limits: orMissing(limits),
  linger: orElse(flag, false),
  started_by: orMissing(fields({ label: text, pid: count, start_time: nullable(count), boot_id: nullable(text) })),
  channels: orElse(list(channel), []),
});

const final = fields<Final>({
  format: count,
  session_id: sessionId,
  state: oneOf(FINAL_STATES),
  reason: oneOf(FINAL_REASONS),
  exit_code: nullable(integer),
  signal: nullable(text),
  started_at: nullable(time),
  ended_at: time,
  duration_ms: amount,
  output_bytes: count,
  output_complete: flag,
  truncated: flag,
  usage: nullable(fields({ cpu_ms: amount, cpu_user_ms: amount, cpu_system_ms: amount, max_rss_kb: amount })),
  error: nullable(fields({ code: text, message: text })),
  survivors: orElse(list(identity), []),
});

export function parseMeta(json: string): Meta | null {
  return parseJson(json, meta);
}

export function parseFinal(json: string): Final | null {
  return parseJson(json, final);
}

/** Null when it is missing, torn, or another session's. */
export function readMeta(dir: SessionDir): Meta | null {
  return ownRecord(dir, parseMeta(readRecord(dir, "meta.json")));
}

export function readFinal(dir: SessionDir): Final | null {
  return ownRecord(dir, parseFinal(readRecord(dir, "final.json")));
}

export function writeMeta(dir: SessionDir, value: Meta, ready: Draft | null = null): void {
  dir.writeAtomic("meta.json", metaText(value), { sync: false, ready });
}

/** `final.json`, whose place on disk is taken when the session starts, so that it can be written on a full disk. */
export class FinalRecord implements Disposable {
  readonly #dir: SessionDir;
  readonly #draft: Draft;
  #json = "";

  private constructor(dir: SessionDir, draft: Draft) {
    this.#dir = dir;
    this.#draft = draft;
  }

  static reserve(dir: SessionDir): FinalRecord {
    const draft = new Draft(dir.fd);
    try {
      draft.put(new Uint8Array(FINAL_BYTES));
    } catch (error) {
      draft[Symbol.dispose]();
      throw error;
    }
    return new FinalRecord(dir, draft);
  }

  /**
   * Before a session is left to look as if its holder had died, a second way is tried, with other blocks of the disk, and then a
   * third: a disk that cannot promise to keep the record may keep it all the same.
   *
   * Readers see it at once, and need not wait for the disk: that is settle()'s. Its blocks are those that were reserved, so a power
   * cut in between leaves either the record or what is none.
   */
  write(value: Final): void {
    this.#json = encodeFinal(value);
    try {
      this.#dir.has("final.json"); // refuses a symlink, which the rename would only replace
      this.#draft.put(bytesOf(this.#json));
      this.#draft.publish("final.json");
    } catch {
      this.#draft[Symbol.dispose]();
      this.#writeAnew();
    }
  }

  /** After write(), once. */
  settle(): void {
    try {
      if (this.#draft.isPublished) this.#draft.settle();
    } catch {
      this.#writeAnew();
    }
  }

  #writeAnew(): void {
    try {
      this.#dir.writeAtomic("final.json", this.#json, { sync: true });
    } catch {
      this.#dir.writeAtomic("final.json", this.#json, { sync: false });
    }
  }

  [Symbol.dispose](): void {
    this.#draft[Symbol.dispose]();
  }
}

/** Of its fields only the message can be long; it is cut to what was reserved. */
function encodeFinal(value: Final): string {
  const json = `${JSON.stringify(value)}\n`;
  if (value.error === null || bytesOf(json).length <= FINAL_BYTES) return json;
  const message = `${value.error.message.slice(0, 400)}…`;
  return `${JSON.stringify({ ...value, error: { code: value.error.code, message } })}\n`;
}

function readRecord(dir: SessionDir, name: "meta.json" | "final.json"): string {
  const fd = dir.openIfThere(name, "read");
  if (fd === null) return "";
  try {
    return textOf(readStart(fd, MAX_RECORD_BYTES));
  } finally {
    closeSync(fd);
  }
}

function ownRecord<T extends { session_id: string }>(dir: SessionDir, value: T | null): T | null {
  return value?.session_id === dir.id ? value : null;
}
