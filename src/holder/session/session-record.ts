/**
 * One session on disk, as its holder writes it: claimed, begun, filled, closed. The order is the guarantee: the directory claims
 * the id, the lock proves that we live, `meta.json` makes the session findable before anything is spawned, and
 * every byte is in the transcript before anyone is told of it.
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
/** By so much a clock has been set, and has not only been kept right. */
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
  /** Since the boot, so that a changed clock does not change how long the command ran, and a suspension counts as it does in `started_at`. */
  #startedAt = bootTime();
  #ended: Moment | null = null;
  /** The wall clock before it was set: what it is ahead of the time since the boot. */
  readonly #clockOffset = Date.now() - bootTime();
  #shift = 0;

  /** All that a disk can refuse is asked for by then: a command that was started cannot be taken back. */
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

  /** Timestamps follow a clock that is set. By how much says this event: recordings and durations do not follow. */
  noteClock(wall: number): void {
    const shift = wall - bootTime() - this.#clockOffset;
    if (Math.abs(shift - this.#shift) < SET_MS) return;
    this.#shift = shift;
    this.event({ type: "clock_set", cursor: this.writer.produced, shift_ms: Math.round(shift) });
  }

  /** The first event of all, which is written with the second, or when the loop turns before that; the command need not wait for it. */
  #recordStarting(): void {
    if (this.#isStartRecorded) return;
    this.#isStartRecorded = true;
    this.#events.note({ type: "state", from: null, to: "starting" });
    setImmediate(() => this.#events.flush());
    this.#logState("new -> starting", null);
  }

  /** While the command comes up and we would only wait: what its first moment needs. */
  prepare(): void {
    this.#recordStarting();
    try {
      this.#nextMeta ??= new Draft(this.dir.fd);
    } catch {
      // running() will hear of it
    }
  }

  /** The command runs: its pid goes into `meta.json`. */
  running({ pid, startTime }: Pick<Transport, "pid" | "startTime">): void {
    this.#startedAt = bootTime();
    this.#meta = { ...this.#meta, started_at: new Date().toISOString(), process: identityOf(pid, startTime) };
    this.#saveMeta();
    this.#setState("running", null);
  }

  /** The command has ended. Its last output may still wait for whoever reads it, and the time that takes is not its own. */
  ended(): void {
    this.#ended = now();
  }

  rename(name: string | null): void {
    if (name === this.#meta.name) return;
    const renamed = { ...this.#meta, name };
    try {
      writeMeta(this.dir, renamed, null);
    } catch (error) {
      // Nobody would find it by that name.
      throw new HoltError("EIO", `the session cannot be renamed: ${String(error)}`);
    }
    this.#meta = renamed;
    this.event({ type: "renamed", name });
  }

  resized(size: TerminalSize): void {
    this.event({ type: "resize", cols: size.cols, rows: size.rows, cursor: this.writer.produced });
  }

  /** Everything was appended: the last word about the session. */
  close(
    { state, reason, exitCode, signal, outputComplete, usage, error, survivors = [] }: SessionOutcome,
    inputUnread = 0,
  ): Final {
    this.writer.flushIndex();
    const unread = this.#hasSecret && inputUnread > 0 ? null : inputUnread; // not even a secret's length is recorded
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
      // Readers will take us for lost. The command has ended as it has, and so do we.
      this.#logWriteFailure("final.json", refusal);
    }
    return final;
  }

  /** After `close`: its last word is kept by the disk, too. */
  settle(): void {
    try {
      this.#final.settle();
    } catch (refusal) {
      this.#logWriteFailure("final.json", refusal);
    }
  }

  /** The command runs, whether or not the disk takes its pid: what was refused is tried again. */
  #saveMeta(): void {
    // The descriptor of its directory may be another session's by then.
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

  /** After `close`: what was open is closed, and the lock is let go. */
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
