/**
 * State shared by all handlers. No session data lives here alone: killing the daemon loses none.
 */
import type { LocalSessions } from "../client/sessions/local-sessions.ts";
import type { Log } from "../platform/log/log.ts";
import type { NotificationSink } from "../surfaces/jsonrpc/calls.ts";
import { daemonSocketPath } from "../transcript/layout.ts";
import type { SessionAccess } from "./sessions/session-access.ts";
import type { UserApproval } from "./policy/user-approval.ts";
import { Collector } from "./lifecycle/collector.ts";
import type { CurrentSettings } from "./current-settings.ts";
import type { Gate } from "./calls/gate.ts";
import type { LiveSessions } from "./sessions/live-sessions.ts";
import type { OutputTotal } from "./sessions/output-total.ts";
import type { CallRecord } from "./calls/call-record.ts";
import type { ServedFiles } from "./files/served-files.ts";
import type { SessionPool } from "./sessions/session-pool.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";
import { AttachedCounts } from "./web/attached-counts.ts";
import type { Web } from "./web/web.ts";

/** JIT code costs memory: compilation starts after this many calls. */
const BUSY_CALLS = 500;

export interface CallContext {
  readonly daemon: DaemonContext;
  /** Aborts when the caller cancels the call or its deadline passes. */
  readonly signal: AbortSignal;
  /** The caller's connection, for notifications. */
  readonly connection: NotificationSink;
  /** The call as the audit records it. */
  readonly call: CallRecord;
}

export interface DaemonContextParts {
  sessions: LocalSessions;
  log: Log;
  pool: SessionPool;
  settings: CurrentSettings;
  gate: Gate;
  live: LiveSessions;
  outputs: OutputTotal;
  access: SessionAccess;
  userApproval: UserApproval;
  files: ServedFiles;
  /** Ends the daemon after pending answers are sent. */
  shutDown: () => void;
}

export class DaemonContext {
  readonly sessions: LocalSessions;
  readonly log: Log;
  readonly pool: SessionPool;
  readonly settings: CurrentSettings;
  readonly gate: Gate;
  readonly access: SessionAccess;
  readonly userApproval: UserApproval;
  readonly files: ServedFiles;
  readonly shutDown: () => void;
  readonly subscriptions: Subscriptions;
  readonly live: LiveSessions;
  readonly collector = new Collector();
  readonly attached = new AttachedCounts();
  /** Output totals, fed by ended sessions and by queries. */
  readonly outputs: OutputTotal;
  /** Path of the daemon's socket. */
  readonly socket: string;
  readonly startedAt = performance.now();
  /** Open connections. */
  clients = 0;
  /** Null while the daemon starts. */
  web: Web | null = null;
  #calls = 0;
  #total = 0;
  #lastUse = performance.now();

  constructor({
    sessions,
    log,
    pool,
    settings,
    gate,
    live,
    outputs,
    access,
    userApproval,
    files,
    shutDown,
  }: DaemonContextParts) {
    this.sessions = sessions;
    this.log = log;
    this.pool = pool;
    this.settings = settings;
    this.gate = gate;
    this.access = access;
    this.userApproval = userApproval;
    this.files = files;
    this.shutDown = shutDown;
    this.live = live;
    this.outputs = outputs;
    this.socket = daemonSocketPath(sessions.layout);
    this.subscriptions = new Subscriptions(sessions, live);
  }

  callBegan(): void {
    this.#calls++;
    if (++this.#total === BUSY_CALLS) Bun.unsafe.setJITPolicy(1);
  }

  callEnded(): void {
    this.#calls--;
    this.#lastUse = performance.now();
  }

  /** Milliseconds since the last call ended; 0 while one runs. */
  idleMs(): number {
    return this.#calls > 0 ? 0 : performance.now() - this.#lastUse;
  }
}
