/**
 * A session and its process, held together: the one ordered path of output (offset, transcript, readers), the timeouts and
 * the end. Who started it, and whether a person looks on, is somebody else's business (foreground.ts).
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

/** A key at most, or a few typed at once. */
const KEY_BYTES = 16;
const MAX_ANSWERS = 64 * 1024;
/** Many a command is over in little more. */
const SHORT_LIFE_MS = 2;
/** How long readers on the socket may take for the last bytes; they have the file after that. */
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
  /** After how long without a sign of life it counts as quiet. */
  quietAfterMs?: () => number;
}

export class HeldSession implements ControllableSession {
  readonly record: SessionRecord;
  readonly termination: Termination;
  /** Null on pipes. */
  readonly terminal: SessionTerminal | null;
  /** Where the command is a shell that tells of itself (shell/integrate.ts). */
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
    // A command that asks and does not read is not answered for ever.
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

  /** Answers once the outcome of the spawn is known. */
  async start(
    begin: (events: TransportEvents) => Promise<Transport> | Transport,
    observer: CommandObserver,
    timeouts: Timeouts,
  ): Promise<void> {
    this.#observer = observer;
    const starting = begin({
      starting: () => observer.beforeSpawn(),
      made: (pid) => observer.spawned(pid),
      output: (channel, bytes) => this.#printed(channel, bytes),
      stopped: (signal) => {
        // To end a tree, its processes are stopped first. A leader that waits for an order would not see the end.
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
    // The command comes up meanwhile. What it prints may be kept before it is said to run: no answer has said so by then.
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

  /** `bytes` are lent. */
  #printed(channel: Channel, bytes: Uint8Array): void {
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

  /** Somebody is there, who need not type. */
  resetIdle(): void {
    this.#timers?.resetIdle();
  }

  input(bytes: Uint8Array): void {
    this.#timers?.active(bytes.length);
    this.shell?.typed(bytes);
    if (bytes.length <= KEY_BYTES) this.transport.writeKey(bytes);
    else this.transport.write(bytes);
  }

  /** Whether that was another size. */
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
    // Of a command that has ended, what is left is seen to at once.
    if (!this.#hasEnded || pid !== this.transport.pid) this.#orphans.changed(pid, this.transport);
  }

  /** The socket's name vanished and somebody asks for it (SIGUSR1). False when it is there. */
  rebindIfMissing(): boolean {
    return this.#socket?.rebindIfMissing() ?? false;
  }

  get isStarting(): boolean {
    return this.#transport === null && !this.#hasEnded;
  }

  /** The command has: no signal can reach it, and its pid may be somebody else's by now. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Once. Of a command that is over at once nothing is timed; `stays` is told of one that is not. */
  ended(stays: () => void = () => {}): Promise<{ ending: CommandEnd; usage: ResourceUsage }> {
    pollUntil(() => this.#hasEnded, SHORT_LIFE_MS);
    if (!this.#hasEnded) {
      this.#timers = this.#createTimers?.() ?? null;
      stays();
    }
    return this.#ended.promise;
  }

  /** After the end: what was typed and the command never read. It is counted once. */
  takeUnread(): Uint8Array {
    const { bytes, count } = this.transport.takeUnread();
    this.#inputUnread = count;
    return bytes;
  }

  /** After the end: what is still to be read, up to `drainMs` of a terminal that something left behind holds open. */
  async drain(drainMs: number): Promise<boolean> {
    this.#timers?.commandEnded();
    if (this.#inputUnread === null) this.takeUnread();
    if (this.termination.treeEnded !== null) await this.termination.treeEnded;
    const drained = this.transport.drain(drainMs);
    const isComplete = drained instanceof Promise ? await drained : drained;
    this.shell?.closed();
    return isComplete;
  }

  /** `published` is told once everybody can read the session's last word. */
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

  /** The command could not be started: the session stays, as failed. */
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
