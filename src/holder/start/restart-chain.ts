/**
 * Runs the sessions of one holder, one after the other: each restart of the command is a new
 * session with its own transcript and end. The next session is claimed before the last one ends, so
 * at every moment there is one that can be ended; ending it ends the chain.
 */
import { bootTime } from "../../platform/process/uptime.ts";
import { waitFor } from "../../platform/process/wait.ts";
import { nextAttempt } from "../../protocol/types/restart.ts";
import type { FinalReason } from "../../protocol/types/session.ts";
import type { SpawnFailure } from "../../process/resolve-command.ts";
import { continueStopped } from "../../process/end-tree.ts";
import type { Backoff } from "./backoff.ts";
import type { HeldSession } from "../session/held-session.ts";
import type { Launcher } from "./launcher.ts";
import type { SessionRecord } from "../session/session-record.ts";
import { DelayedSweep, SWEEP_EVERY_MS } from "./start-sweep.ts";
import type { StartChannel } from "./start-channel.ts";

/** Limit for reading a terminal or pipe that a leftover process holds open. */
const DRAIN_MS = 2000;
/** Time that leftover processes get after SIGTERM. */
const LEFTOVER_GRACE_MS = 1000;

const COLLECT_EVERY = 16;

/** Ends on request: no restart follows. */
const REQUESTED_ENDS: readonly FinalReason[] = ["stop_requested", "kill_requested", "daemon_shutdown"];

type AttemptEnd =
  | { kind: "ended"; failed: boolean; ranMs: number; publish: PublishEnd }
  | { kind: "requested"; publish: PublishEnd };

/** Writes the final record, and notifies the start channel once it is readable. */
type PublishEnd = () => Promise<unknown>;

interface PendingAttempt {
  record: SessionRecord;
  delayMs: number;
}

export class RestartChain {
  readonly #launcher: Launcher;
  readonly #channel: StartChannel;
  #session: HeldSession | null = null;
  #sweep: DelayedSweep | null = null;
  #backoff: Backoff | null = null;
  #startedAt = 0;
  #attempts = 0;
  #hasCommand = false;
  /** Children that changed while the command was being started. */
  #earlyChildren: number[] | null = null;
  #isLast = false;

  constructor(launcher: Launcher, channel: StartChannel) {
    this.#launcher = launcher;
    this.#channel = channel;
  }

  /**
   * Starts the first attempt; calls `running` as soon as it runs. If it cannot be started, no other
   * attempt follows.
   */
  async begin(running: (session: HeldSession) => void): Promise<HeldSession> {
    const session = this.#launcher.hold(this.#launcher.claim());
    this.#session = session;
    try {
      await this.#start(session, () => running(session));
    } catch (error) {
      await session.fail(error as SpawnFailure);
      throw error;
    }
    return session;
  }

  async hold(first: HeldSession): Promise<void> {
    let session = first;
    let outcome = await this.#attemptEnded(session);
    for (;;) {
      const next = this.#claimNext(session.record, outcome);
      await outcome.publish();
      // The runtime does not collect by itself when short attempts follow each other.
      if (++this.#attempts % COLLECT_EVERY === 0) Bun.gc(true);
      this.#sweep?.now();
      if (next === null || !(await this.#waitOut(next))) return;
      session = this.#launcher.hold(next.record);
      this.#session = session;
      outcome = await this.#attempt(session);
    }
  }

  childChanged(pid: number, mayBeStop: boolean): void {
    // A command may end while it is being started: its pid is kept until the transport exists.
    // Without a command the child is an orphan.
    if (this.#earlyChildren !== null) {
      // A command may stop its leader before the leader has reported that the command runs.
      if (mayBeStop) continueStopped([pid]);
      this.#earlyChildren.push(pid);
    } else if (this.#hasCommand) this.#session?.childChanged(pid);
    else waitFor(pid, { block: false, stops: false });
  }

  rebindIfMissing(): void {
    if (this.#backoff !== null) this.#backoff.rebindIfMissing();
    else this.#session?.rebindIfMissing();
  }

  /** Starts nothing after the current session. */
  endAfterThis(): void {
    this.#isLast = true;
  }

  stop(): void {
    this.#isLast = true;
    if (this.#backoff !== null) this.#backoff.end("stop_requested");
    else if (this.#session !== null && !this.#session.hasEnded) void this.#session.termination.stop("stop_requested");
  }

  async #start(session: HeldSession, running: () => void = () => {}): Promise<void> {
    this.#hasCommand = false;
    const early: number[] = [];
    this.#earlyChildren = early;
    try {
      await this.#launcher.start(session, running);
      this.#hasCommand = true;
    } finally {
      this.#earlyChildren = null;
      early.forEach((pid) => this.childChanged(pid, true));
    }
    this.#startedAt = bootTime();
    if (!this.#channel.sweeps) return;
    const { layout } = this.#launcher;
    this.#sweep = new DelayedSweep(layout, SWEEP_EVERY_MS.background, (pid) => session.termination.disown(pid));
  }

  async #attempt(session: HeldSession): Promise<AttemptEnd> {
    try {
      await this.#start(session);
    } catch (error) {
      const publish = async (): Promise<void> => this.#channel.ended(await session.fail(error as SpawnFailure));
      return { kind: "ended", failed: true, ranMs: 0, publish };
    }
    return this.#attemptEnded(session);
  }

  async #attemptEnded(session: HeldSession): Promise<AttemptEnd> {
    const { ending, usage } = await session.ended(() => this.#commandStays());
    const ranMs = bootTime() - this.#startedAt;
    const complete = await session.drain(DRAIN_MS);
    const left = session.record.meta.linger ? null : session.termination.endLeftovers(LEFTOVER_GRACE_MS);
    if (left !== null) await left;
    this.#launcher.ended(ending);
    const publish: PublishEnd = () => session.finish(ending, usage, complete, (final) => this.#channel.ended(final));
    const { reason } = session.termination;
    if (reason !== null && REQUESTED_ENDS.includes(reason)) return { kind: "requested", publish };
    return { kind: "ended", failed: ending.kind === "signaled" || ending.code !== 0, ranMs, publish };
  }

  /** The command did not end at once. */
  #commandStays(): void {
    this.#launcher.commandStays();
    this.#sweep?.soon();
  }

  #claimNext(last: SessionRecord, outcome: AttemptEnd): PendingAttempt | null {
    const { restart, session_id, name } = last.meta;
    if (restart === null || this.#isLast || outcome.kind === "requested") return null;
    const next = nextAttempt(restart, outcome, Date.now());
    if (next === "limit") last.event({ type: "restart_limit", max_restarts: restart.max_restarts });
    if (next === "limit" || next === "done") return null;
    if (next.delayMs >= this.#launcher.lifeLeftMs) {
      last.event({ type: "life_over" });
      return null;
    }
    try {
      const link = { session_id: null, name, previous_session_id: session_id, restart: next.restart };
      const record = this.#launcher.claim(link);
      record.event({ type: "backoff", delay_ms: next.delayMs, until: next.restart.starts_at });
      last.event({ type: "restart", next_session_id: record.dir.id, delay_ms: next.delayMs });
      return { record, delayMs: next.delayMs };
    } catch (error) {
      last.event({ type: "restart_failed", error: String(error) });
      this.#launcher.log.write("error", "cannot restart the command", { session_id, error: String(error) });
      return null;
    }
  }

  async #waitOut({ record, delayMs }: PendingAttempt): Promise<boolean> {
    this.#session = null;
    this.#hasCommand = false;
    // Loaded on demand: most commands have no restart policy.
    const loaded = await import("./backoff.ts");
    this.#backoff = new loaded.Backoff(this.#launcher.layout, record, this.#launcher.log);
    if (this.#isLast) this.#backoff.end("stop_requested");
    const isOver = await this.#backoff.wait(delayMs);
    this.#backoff = null;
    return isOver;
  }
}
