/** What all handlers share. Nothing about a session lives here alone: a daemon that is killed loses none of it. */
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

/** Compiled code is memory: only a daemon that has this much to do gets it. */
const BUSY_CALLS = 500;

export interface CallContext {
  readonly daemon: DaemonContext;
  /** Fires when the caller gives the call up, or its time is over. */
  readonly signal: AbortSignal;
  /** Whoever asked, for what it is to be told later. */
  readonly listener: NotificationSink;
  /** The call itself. */
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
  /** Ends the daemon, once the answers are out. */
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
  /** Of what ends here, and of what is asked about. */
  readonly outputs: OutputTotal;
  /** Where it listens. */
  readonly socket: string;
  readonly startedAt = performance.now();
  /** Connections. */
  clients = 0;
  /** HTTP; null while the daemon comes up. */
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

  began(): void {
    this.#calls++;
    if (++this.#total === BUSY_CALLS) Bun.unsafe.setJITPolicy(1);
  }

  ended(): void {
    this.#calls--;
    this.#lastUse = performance.now();
  }

  /** How long nobody has wanted anything. */
  idleMs(): number {
    return this.#calls > 0 ? 0 : performance.now() - this.#lastUse;
  }
}
