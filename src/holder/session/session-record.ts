/**
 * One session on disk, as its holder writes it. The order is guaranteed: the directory claims the
 * id, the lock proves that the holder lives, `meta.json` makes the session findable before anything
 * is spawned, and every byte is in the transcript before a reader is notified.
 */
import type { Log } from "../../platform/log/log.ts";
import { identityOf } from "../../platform/process/processes.ts";
import { bootTime, uptimeNow } from "../../platform/process/uptime.ts";
import { HoltError } from "../../protocol/types/errors.ts";
import {
  canBecome,
  type Final,
  type FinalReason,
  FORMAT_VERSION,
  MAX_SURVIVORS,
  type Meta,
  type SessionState,
  type TerminalSize,
  type Uptime,
} from "../../protocol/types/session.ts";
import type { Transport } from "../../process/transport.ts";
import { Draft } from "../../transcript/draft.ts";
import type { EventLog } from "../../transcript/write/events.ts";
import type { OpenSession } from "../../transcript/write/open-session.ts";
import { type FinalRecord, writeMeta } from "../../transcript/records.ts";
import type { SessionDir } from "../../transcript/session-dir.ts";
import type { ByteRun } from "../../transcript/write/index-writer.ts";
import { TranscriptWriter } from "../../transcript/write/writer.ts";
import type { SessionOutcome } from "./outcome.ts";

const META_RETRY_MS = 1000;
/** A difference of this much means that the clock was set; a smaller one is ordinary correction. */
const SET_MS = 500;

interface Moment {
  wall: number;
  boot: number;
  uptime: Uptime;
}

function now(): Moment {
  return { wall: Date.now(), boot: bootTime(), uptime: uptimeNow() };
}

export class SessionRecord {
  readonly dir: SessionDir;
  readonly writer: TranscriptWriter;
  readonly #events: EventLog;
  readonly #final: FinalRecord;
  readonly #log: Log;
  #meta: Meta;
  #nextMeta: Draft | null = null;
  #isReleased = false;
  #isStartRecorded = false;
  #hasSecret = false;
  #state: SessionState = "starting";
  /**
   * Time since boot: setting the clock does not change the duration, and suspension counts as it
   * does in `started_at`.
   */
  #startedAt = bootTime();
  #ended: Moment | null = null;
  /** Wall clock minus time since boot, before the clock was set. */
  readonly #clockOffset = Date.now() - bootTime();
  #shift = 0;

  /**
   * Everything that a full disk can refuse was allocated before: a started command cannot be
   * undone.
   */
  constructor(place: OpenSession, meta: Meta, log: Log) {
    const { dir, events, final, files, nextMeta } = place;
    this.dir = dir;
    this.#log = log;
    this.#events = events;
    this.#final = final;
    this.#nextMeta = nextMeta;
    this.#meta = meta;
    this.writer = new TranscriptWriter(files, {
      maxBytes: meta.max_output_bytes,
      onGap: ({ from, to, cause }) => {
        this.event({ type: "gap", from, to, cause });
        log.write("warn", "output not captured", { session_id: dir.id, chunk_offset: from, cause });
      },
      onChunk: log.has("debug") ? (chunk) => this.#logChunk(chunk) : null,
    });
    place.announce(meta);
  }

  get meta(): Meta {
    return this.#meta;
  }

  get state(): SessionState {
    return this.#state;
  }

  #logChunk({ offset: chunk_offset, length: chunk_size, channel }: ByteRun): void {
    this.#log.write("debug", "output", { session_id: this.dir.id, channel, chunk_offset, chunk_size });
  }

  event(event: { type: string; [key: string]: unknown }): void {
    this.#recordStarting();
    this.noteClock(Date.now());
    this.#hasSecret ||= event.type === "secret";
    this.#events.append(event);
  }

  /**
   * Timestamps follow a clock that is set. This event records the shift; recordings and durations
   * use the time since boot.
   */
  noteClock(wall: number): void {
    const shift = wall - bootTime() - this.#clockOffset;
    if (Math.abs(shift - this.#shift) < SET_MS) return;
    this.#shift = shift;
    this.event({ type: "clock_set", cursor: this.writer.produced, shift_ms: Math.round(shift) });
  }

  /**
   * Records the first event. It is written with the second one or in the next turn of the loop, so
   * that the command need not wait.
   */
  #recordStarting(): void {
    if (this.#isStartRecorded) return;
    this.#isStartRecorded = true;
    this.#events.note({ type: "state", from: null, to: "starting" });
    setImmediate(() => this.#events.flush());
    this.#logState("new -> starting", null);
  }

  /** Prepares files while the command starts, when the holder would only wait. */
  prepare(): void {
    this.#recordStarting();
    try {
      this.#nextMeta ??= new Draft(this.dir.fd);
    } catch {
      // running() reports it
    }
  }

  /** The command runs: its pid goes into `meta.json`. */
  running({ pid, startTime }: Pick<Transport, "pid" | "startTime">): void {
    this.#startedAt = bootTime();
    this.#meta = { ...this.#meta, started_at: new Date().toISOString(), process: identityOf(pid, startTime) };
    this.#saveMeta();
    this.#setState("running", null);
  }

  /**
   * The command has ended. Reading its last output may take time that does not count as its
   * duration.
   */
  ended(): void {
    this.#ended = now();
  }

  rename(name: string | null): void {
    if (name === this.#meta.name) return;
    const renamed = { ...this.#meta, name };
    try {
      writeMeta(this.dir, renamed, null);
    } catch (error) {
      // The session could not be found by the new name.
      throw new HoltError("EIO", `the session cannot be renamed: ${String(error)}`);
    }
    this.#meta = renamed;
    this.event({ type: "renamed", name });
  }

  resized(size: TerminalSize): void {
    this.event({ type: "resize", cols: size.cols, rows: size.rows, cursor: this.writer.produced });
  }

  /** Writes the final record, after everything was appended. */
  close(
    { state, reason, exitCode, signal, outputComplete, usage, error, survivors = [] }: SessionOutcome,
    inputUnread = 0,
  ): Final {
    this.writer.flushIndex();
    // Not even the length of a secret is recorded.
    const unread = this.#hasSecret && inputUnread > 0 ? null : inputUnread;
    if (inputUnread > 0) this.event({ type: "input_unread", bytes: unread });
    const started = this.#meta.started_at;
    const ended = this.#ended ?? now();
    const final: Final = {
      format: FORMAT_VERSION,
      session_id: this.dir.id,
      state,
      reason,
      exit_code: exitCode,
      signal,
      started_at: started,
      ended_at: new Date(ended.wall).toISOString(),
      ended_uptime: ended.uptime,
      duration_ms: started === null ? 0 : Math.round(ended.boot - this.#startedAt),
      output_bytes: this.writer.produced,
      output_complete: outputComplete,
      input_unread: unread,
      truncated: this.writer.truncated,
      usage,
      error,
      survivors: survivors.slice(0, MAX_SURVIVORS),
    };
    this.#setState(state, reason);
    try {
      this.#final.write(final);
    } catch (refusal) {
      // Readers will report the session as lost. The holder ends as usual.
      this.#logWriteFailure("final.json", refusal);
    }
    return final;
  }

  /** After `close`: syncs the final record to disk. */
  settle(): void {
    try {
      this.#final.settle();
    } catch (refusal) {
      this.#logWriteFailure("final.json", refusal);
    }
  }

  /** Writes the pid to `meta.json`, and tries again after an error: the command runs anyway. */
  #saveMeta(): void {
    // The directory's descriptor may belong to another session by then.
    if (this.#isReleased) return;
    try {
      writeMeta(this.dir, this.#meta, this.#nextMeta);
    } catch (error) {
      this.#logWriteFailure("meta.json", error);
      setTimeout(() => this.#saveMeta(), META_RETRY_MS).unref();
    } finally {
      this.#nextMeta = null;
    }
  }

  #logWriteFailure(artifact: string, refusal: unknown): void {
    this.#log.write("error", `cannot write ${artifact}`, { session_id: this.dir.id, error: String(refusal) });
  }

  /** After `close`: closes every file and releases the lock. */
  release(): void {
    this.#isReleased = true;
    this.#nextMeta?.[Symbol.dispose]();
    for (const opened of [this.writer, this.#events, this.#final, this.dir]) opened[Symbol.dispose]();
  }

  #setState(to: SessionState, reason: FinalReason | null): void {
    const from = this.#state;
    if (!canBecome(from, to)) throw new HoltError("EINTERNAL", `a session cannot go from ${from} to ${to}`);
    this.#state = to;
    this.event({ type: "state", from, to, reason });
    this.#logState(`${from} -> ${to}`, reason);
  }

  #logState(transition: string, reason: FinalReason | null): void {
    this.#log.write("info", "state", {
      session_id: this.dir.id,
      transport_mode: this.#meta.transport_mode,
      tty_attached: this.#meta.tty_attached,
      state_transition: transition,
      reason,
      chunk_offset: this.writer.produced,
    });
  }
}
