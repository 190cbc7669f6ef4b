/** Starts the command of a background holder, once per attempt. */
import { lazily } from "../../platform/native/lazily.ts";
import { losslessBytes } from "../../platform/fs/lossless-text.ts";
import type { Log } from "../../platform/log/log.ts";
import { environmentKeys } from "../../platform/process/raw-arguments.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import { type AttachRules, nonDefaultRules, DEFAULT_ATTACH_RULES } from "../../protocol/wire/client-rules.ts";
import { needsGroup, NO_LIMITS } from "../../protocol/types/limits.ts";
import type { Restart } from "../../protocol/types/restart.ts";
import {
  DEFAULT_MAX_OUTPUT_BYTES,
  DEFAULT_RETENTION_SECONDS,
  type TerminalSize,
} from "../../protocol/types/session.ts";
import { newSessionId } from "../../protocol/types/session-id.ts";
import { isKnownShell } from "../../protocol/types/shell-command.ts";
import type { StartRequest } from "../../protocol/wire/start-request.ts";
import { startPipes } from "../../process/pipes/pipes.ts";
import { startPty } from "../../process/pty/pty.ts";
import { SpawnFailure, spawnFailure } from "../../process/resolve-command.ts";
import type { CommandEnd, SpawnSpec, Transport, TransportEvents } from "../../process/transport.ts";
import type { ReservedDir } from "../../transcript/write/reserved-dir.ts";
import type { BoundSocket } from "../../transcript/bound-socket.ts";
import { channelSocketKey, type Layout, socketPath } from "../../transcript/layout.ts";
import { type OpenSession, openSession } from "../../transcript/write/open-session.ts";
import { claimSession, metaFor, type RequestedMeta } from "./claim-session.ts";
import { HeldSession } from "../session/held-session.ts";
import { QUIET_AFTER, quietAfterFrom } from "../session/quiet-watch.ts";
import { NO_TERMINAL } from "../session/reserved.ts";
import { SessionRecord } from "../session/session-record.ts";
import type { SessionGroup } from "./session-group.ts";
import { CommandWords, leaveDirectory, prepareSpawn } from "./spawn-spec.ts";
import { backgroundObserver } from "../session/observer.ts";
import type { HolderStorage } from "./warm.ts";

const EMPTY = new Uint8Array(0);

/** The fields of a session that differ between attempts. */
export interface Attempt {
  session_id: string | null;
  name: string | null;
  previous_session_id: string | null;
  restart: Restart | null;
}

export class Launcher {
  readonly layout: Layout;
  readonly log: Log;
  readonly #request: StartRequest;
  readonly #words: CommandWords;
  readonly #size: TerminalSize | null;
  readonly #stdin: Uint8Array | null;
  /** Used by the first session only. */
  #reservedDir: ReservedDir | null;
  #socket: BoundSocket | null = null;
  readonly #quietAfterMs = lazily(() => quietAfterFrom(this.#words.variable(QUIET_AFTER)));
  /** COLORFGBG: the terminal's background color. */
  readonly #background = lazily(() => textOf(this.#words.variable("COLORFGBG") ?? EMPTY));
  readonly #since = performance.now();
  /** The control group of the current session. */
  #group: SessionGroup | null = null;

  constructor(request: StartRequest, { layout, reservedDir }: HolderStorage, log: Log) {
    this.layout = layout;
    this.log = log;
    this.#reservedDir = reservedDir;
    this.#request = request;
    this.#words = new CommandWords(request);
    this.#size = request.size === null ? null : { ...request.size, width: 0, height: 0 };
    this.#stdin = typeof request.stdin === "string" ? Uint8Array.fromBase64(request.stdin) : null;
  }

  /** Shared by all attempts. */
  get lifeLeftMs(): number {
    return this.#since + (this.#request.life_ms ?? Infinity) - performance.now();
  }

  /** Creates the session on disk. */
  claim({ session_id, ...link }: Attempt = firstAttempt(this.#request)): SessionRecord {
    const { project_id, channels = [], limits = null, linger = false, started_by = null } = this.#request;
    const { retention_seconds = DEFAULT_RETENTION_SECONDS, max_output_bytes = DEFAULT_MAX_OUTPUT_BYTES } =
      this.#request;
    const { timeout_ms, idle_timeout_ms } = this.#request;
    const requested: RequestedMeta = {
      ...link,
      argv: this.#words.argv.map(textOf),
      cwd: textOf(losslessBytes(this.#request.cwd)),
      env_keys: environmentKeys(this.#words.environment("")),
      transport_mode: this.#size === null ? "pipe" : "posix-pty",
      tty_attached: false,
      size: this.#size,
      project_id,
      shared: true,
      retention_seconds,
      max_output_bytes,
      limits,
      linger,
      timeout_ms,
      idle_timeout_ms,
      client_rules: this.#size === null ? null : nonDefaultRules(this.#sharing),
      started_by,
      channels,
    };
    return (
      this.#claimReady(session_id ?? newSessionId(), requested) ??
      this.#recordIn(openSession(claimSession(this.layout, session_id)), requested)
    );
  }

  get #sharing(): AttachRules {
    const { size_rule, input, max_clients = DEFAULT_ATTACH_RULES.max_clients } = this.#request;
    const { slow_client = DEFAULT_ATTACH_RULES.slow_client, slow_client_ms = DEFAULT_ATTACH_RULES.slow_client_ms } =
      this.#request;
    return { size_rule, input, max_clients, slow_client, slow_client_ms };
  }

  #recordIn(place: OpenSession, requested: RequestedMeta, socket?: string): SessionRecord {
    const { layout, log } = this;
    const claimed = { layout, id: place.dir.id, log, socket };
    return new SessionRecord(place, metaFor(requested, claimed), log);
  }

  /**
   * Uses the reserved directory. Null where that fails: the ordinary path then reports the exact
   * reason (the id exists, the disk is full).
   */
  #claimReady(id: string, requested: RequestedMeta): SessionRecord | null {
    const reservedDir = this.#reservedDir;
    this.#reservedDir = null;
    if (reservedDir === null) return null;
    try {
      const record = this.#recordIn(reservedDir.take(id), requested, reservedDir.socket?.path);
      this.#socket = reservedDir.socket;
      return record;
    } catch {
      reservedDir[Symbol.dispose]();
      return null;
    }
  }

  hold(record: SessionRecord): HeldSession {
    const reserved = { input: null, size: this.#size === null ? NO_TERMINAL : null };
    const bound = this.#socket;
    this.#socket = null;
    return new HeldSession({
      layout: this.layout,
      record,
      bound,
      log: this.log,
      reserved,
      sharing: this.#sharing,
      quietAfterMs: this.#quietAfterMs,
      background: this.#background,
    });
  }

  /** Throws SpawnFailure when the command cannot be started. Calls `running` as soon as it runs. */
  async start(session: HeldSession, running: () => void): Promise<void> {
    const { timeout_ms, idle_timeout_ms: idleTimeoutMs } = this.#request;
    const leftMs = Math.min(timeout_ms ?? Infinity, Math.max(1, this.lifeLeftMs));
    const timeoutMs = leftMs === Infinity ? null : leftMs;
    const size = this.#size;
    try {
      const base = prepareSpawn(this.#request, this.#words, this.#words.environment(session.record.dir.id));
      const grouped = needsGroup(this.#request.limits) ? await this.#grouped(session, base) : base;
      const ready = size !== null && this.#isIntegrated() ? await this.#integrated(session, grouped) : grouped;
      const begin = (spec: SpawnSpec, events: TransportEvents): Promise<Transport> | Transport =>
        size === null
          ? startPipes(spec, events, { stdin: "piped", fixedInput: this.#stdin })
          : startPty({ spec, size, termios: null, typedAhead: EMPTY, stderr: "terminal", isForeground: true }, events);
      const { channels = [] } = this.#request;
      const channelModule = channels.length === 0 ? null : await import("../session/side-channels.ts");
      await session.start(
        (events) => {
          const starting =
            channelModule === null
              ? begin(ready, events)
              : channelModule.startWithChannels(ready, events, begin, {
                  specs: channels,
                  cwd: this.#request.cwd,
                  socketPath: (name) => socketPath(this.layout, channelSocketKey(session.record.dir.id, name)),
                });
          leaveDirectory();
          return starting;
        },
        backgroundObserver(session, running),
        { timeoutMs, idleTimeoutMs },
      );
      this.#group?.entered();
    } catch (error) {
      leaveDirectory();
      this.#group?.entered();
      this.#group?.leave();
      throw error instanceof SpawnFailure ? error : spawnFailure(error, textOf(this.#words.command));
    }
  }

  /**
   * The command outlives its first moment: reads the variables that are still needed, then frees
   * the command line and environment.
   */
  commandStays(): void {
    this.#quietAfterMs();
    this.#background();
    this.#words.forget();
  }

  /** The command and everything that had to end with it have ended. */
  ended(ending: CommandEnd): void {
    this.#group?.ended(ending);
    this.#group = null;
  }

  /** Loaded on demand: few sessions have limits that need a control group. */
  async #grouped(session: HeldSession, spec: SpawnSpec): Promise<SpawnSpec> {
    const { limits: requested, cgroup: parent = null } = this.#request;
    const limits = { ...NO_LIMITS, ...requested };
    const { SessionGroup } = await import("./session-group.ts");
    this.#group = new SessionGroup(session, { layout: this.layout, limits, parent });
    return { ...spec, group: this.#group.procs };
  }

  /** Checked before loading: most commands are no shells. */
  #isIntegrated(): boolean {
    return this.#request.shell_integration === true && isKnownShell(textOf(this.#words.command));
  }

  /** A shell that cannot be integrated runs without integration. */
  async #integrated(session: HeldSession, spec: SpawnSpec): Promise<SpawnSpec> {
    try {
      return (await import("../shell/integrate.ts")).integrate(session, spec, this.layout);
    } catch (error) {
      this.log.write("warn", "no shell integration", { session_id: session.record.dir.id, error: String(error) });
      return spec;
    }
  }
}

function firstAttempt({ session_id, name, restart = null }: StartRequest): Attempt {
  const first = restart === null ? null : { ...restart, count: 0, in_a_row: 0, starts_at: null };
  return { session_id, name, previous_session_id: null, restart: first };
}
