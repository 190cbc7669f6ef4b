/**
 * A session and its process: the one ordered path of output (offset, transcript, readers), the
 * timeouts and the end. The caller starts the command and observes it (foreground.ts, launcher.ts).
 */
import type { Log } from "../../platform/log/log.ts";
import { pollUntil } from "../../platform/native/poller.ts";
import { signalName } from "../../platform/process/signals.ts";
import type { ResourceUsage } from "../../platform/process/wait.ts";
import type { AttachRules } from "../../protocol/wire/client-rules.ts";
import type { Channel, Final, TerminalSize } from "../../protocol/types/session.ts";
import type { SpawnFailure } from "../../process/resolve-command.ts";
import type { CommandEnd, Transport, TransportEvents } from "../../process/transport.ts";
import { becomeSubreaper } from "../../process/own-children.ts";
import { type BoundSocket, unbind } from "../../transcript/bound-socket.ts";
import type { Layout } from "../../transcript/layout.ts";
import type { Reserved } from "./reserved.ts";
import type { ControllableSession } from "../socket/control.ts";
import { Termination } from "./termination.ts";
import { QUIET_AFTER_MS } from "./quiet-watch.ts";
import type { CommandObserver } from "./observer.ts";
import { Orphans } from "./orphans.ts";
import { endedOutcome, notStartedOutcome, reasonOf, type SessionOutcome } from "./outcome.ts";
import type { SessionRecord } from "./session-record.ts";
import { noTerminal, SessionTerminal } from "./session-terminal.ts";
import { SessionSocket } from "../socket/session-socket.ts";
import type { ShellSession } from "../shell/shell-session.ts";
import type { Timeouts } from "./timeouts.ts";
import { SessionTimers } from "./session-timers.ts";

/** A key, or a few typed at once. */
const KEY_BYTES = 16;
const MAX_ANSWERS = 64 * 1024;
/** Many commands end within this time. */
const SHORT_LIFE_MS = 2;
/** Limit for delivering the last bytes to readers on the socket; after it they read the file. */
const LAST_BYTES_MS = 100;

export interface HeldSessionOptions {
  layout: Layout;
  record: SessionRecord;
  log: Log;
  reserved: Reserved;
  sharing: AttachRules;
  /** See SessionTerminalOptions. */
  background: (() => string) | null;
  bound?: BoundSocket | null;
  /** Time without activity after which the session counts as quiet. */
  quietAfterMs?: () => number;
}

export class HeldSession implements ControllableSession {
  readonly record: SessionRecord;
  readonly termination: Termination;
  /** Null on pipes. */
  readonly terminal: SessionTerminal | null;
  /** Set if the command is an integrated shell (shell/integrate.ts). */
  shell: ShellSession | null = null;
  readonly reserved: Reserved;
  readonly sharing: AttachRules;
  readonly #options: HeldSessionOptions;
  #socket: SessionSocket | null = null;
  readonly #ended = Promise.withResolvers<{ ending: CommandEnd; usage: ResourceUsage }>();
  #transport: Transport | null = null;
  #size: TerminalSize | null;
  #observer: CommandObserver | null = null;
  #hasEnded = false;
  #inputUnread: number | null = null;
  readonly #orphans = new Orphans();
  #createTimers: (() => SessionTimers) | null = null;
  #timers: SessionTimers | null = null;

  constructor(options: HeldSessionOptions) {
    const { record } = options;
    this.#options = options;
    this.reserved = options.reserved;
    this.sharing = options.sharing;
    this.record = record;
    this.termination = new Termination(record);
    this.#size = record.meta.size;
    this.terminal = this.#terminalOf(options);
    becomeSubreaper();
  }

  #terminalOf({ layout, record, background }: HeldSessionOptions): SessionTerminal | null {
    const { size, session_id: id } = record.meta;
    if (size === null) return null;
    // A command that queries the terminal and does not read is not answered without limit.
    const reply = (bytes: Uint8Array): void => {
      if (this.#transport !== null && this.#transport.pendingInput < MAX_ANSWERS) this.#transport.write(bytes);
    };
    return new SessionTerminal({ layout, id, writer: record.writer, size, background, reply });
  }

  requireTerminal(): SessionTerminal {
    return this.terminal ?? noTerminal();
  }

  get transport(): Transport {
    if (this.#transport === null) throw new Error("the command was not started");
    return this.#transport;
  }

  /** Resolves once the outcome of the spawn is known. */
  async start(
    begin: (events: TransportEvents) => Promise<Transport> | Transport,
    observer: CommandObserver,
    timeouts: Timeouts,
  ): Promise<void> {
    this.#observer = observer;
    const starting = begin({
      starting: () => observer.beforeSpawn(),
      made: (pid) => observer.spawned(pid),
      output: (channel, bytes) => this.#onOutput(channel, bytes),
      stopped: (signal) => {
        // Ending a tree stops its processes first. A leader that waits to be continued would not
        // see the end.
        if (this.termination.reason !== null && this.#transport !== null) return this.#transport.resume();
        this.record.event({ type: "stopped", signal: signalName(signal) });
        observer.stopped(signal);
      },
      ended: (ending, usage) => {
        this.#hasEnded = true;
        this.record.ended();
        this.#ended.resolve({ ending, usage });
      },
      inputDrained: () => {
        observer.inputDrained();
        this.#socket?.inputDrained();
      },
    });
    // Runs while the command starts. Output may be stored before the session is reported as
    // running: no reply was sent yet.
    const { layout, log, bound = null, quietAfterMs = () => QUIET_AFTER_MS } = this.#options;
    this.#socket = new SessionSocket({ layout, log, session: this, bound });
    this.record.prepare();
    const transport = await starting;
    this.#transport = transport;
    this.record.running(transport);
    observer.running();
    this.termination.started(transport);
    this.#createTimers = () => new SessionTimers(this, timeouts, quietAfterMs());
  }

  /** `bytes` are valid only during the call. */
  #onOutput(channel: Channel, bytes: Uint8Array): void {
    const { writer } = this.record;
    const cursor = writer.produced;
    const now = Date.now();
    this.record.noteClock(now);
    writer.capture(channel, bytes, now);
    try {
      this.#observer?.output(channel, bytes);
      this.#socket?.advance({ offset: cursor, channel, timestamp: now, bytes });
    } finally {
      writer.announce(now); // last: it wakes readers of the files, and attached clients come first
    }
    if (channel === "pty") this.terminal?.output(cursor, bytes);
    this.#timers?.active(bytes.length);
  }

  /** A client attached, detached or resized: that counts as activity for the idle timeout. */
  resetIdle(): void {
    this.#timers?.resetIdle();
  }

  input(bytes: Uint8Array): void {
    this.#timers?.active(bytes.length);
    this.shell?.typed(bytes);
    if (bytes.length <= KEY_BYTES) this.transport.writeKey(bytes);
    else this.transport.write(bytes);
  }

  /** True if the size changed. */
  resize(size: TerminalSize): boolean {
    if (Bun.deepEquals(size, this.#size)) return false;
    this.#size = size;
    this.transport.resize(size);
    this.record.resized(size);
    this.terminal?.resized(size);
    return true;
  }

  /** SIGCHLD of `pid`. */
  childChanged(pid: number): void {
    this.transport.childChanged();
    // After the end of the command, its leftovers are reaped at once.
    if (!this.#hasEnded || pid !== this.transport.pid) this.#orphans.changed(pid, this.transport);
  }

  /** Binds the socket's path again if it vanished (SIGUSR1). False if it exists. */
  rebindIfMissing(): boolean {
    return this.#socket?.rebindIfMissing() ?? false;
  }

  get isStarting(): boolean {
    return this.#transport === null && !this.#hasEnded;
  }

  /** The command has ended: no signal can reach it, and its pid may belong to another process. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Call once. Timers start, and `stays` is called, only if the command does not end at once. */
  ended(stays: () => void = () => {}): Promise<{ ending: CommandEnd; usage: ResourceUsage }> {
    pollUntil(() => this.#hasEnded, SHORT_LIFE_MS);
    if (!this.#hasEnded) {
      this.#timers = this.#createTimers?.() ?? null;
      stays();
    }
    return this.#ended.promise;
  }

  /** After the end: the input that the command did not read. Counted once. */
  takeUnread(): Uint8Array {
    const { bytes, count } = this.transport.takeUnread();
    this.#inputUnread = count;
    return bytes;
  }

  /**
   * After the end: reads the remaining output, for up to `drainMs` if a leftover process holds the
   * terminal open.
   */
  async drain(drainMs: number): Promise<boolean> {
    this.#timers?.commandEnded();
    if (this.#inputUnread === null) this.takeUnread();
    if (this.termination.treeEnded !== null) await this.termination.treeEnded;
    const drained = this.transport.drain(drainMs);
    const isComplete = drained instanceof Promise ? await drained : drained;
    this.shell?.closed();
    return isComplete;
  }

  /** Calls `published` once the final record is readable. */
  async finish(
    ending: CommandEnd,
    usage: ResourceUsage,
    outputComplete: boolean,
    published: (final: Final) => void = () => {},
  ): Promise<Final> {
    const outcome = endedOutcome(ending, usage, {
      reason: this.termination.reason ?? reasonOf(ending, this.record.meta.limits),
      outputComplete,
      survivors: this.termination.survivors(),
    });
    return this.#close(outcome, published);
  }

  /** The command could not be started: the session stays on disk as failed. */
  async fail(error: SpawnFailure): Promise<Final> {
    await this.termination.abandon();
    return this.#close(notStartedOutcome("spawn_failed", error));
  }

  async #close(outcome: SessionOutcome, published: (final: Final) => void = () => {}): Promise<Final> {
    this.#orphans.stop();
    this.#timers?.end();
    this.shell?.closed();
    this.#socket?.ending();
    const final = this.record.close(outcome, this.#inputUnread ?? 0);
    published(final);
    this.record.settle();
    const { log, bound } = this.#options;
    log.write("info", "session ended", {
      session_id: this.record.dir.id,
      exit_code: final.exit_code,
      signal: final.signal,
      reason: final.reason,
      chunk_offset: final.output_bytes,
    });
    if (this.#socket !== null) await this.#socket.finish(final.state, LAST_BYTES_MS);
    else if (bound) unbind(bound);
    this.terminal?.close();
    this.#transport?.close();
    this.record.release();
    return final;
  }
}
