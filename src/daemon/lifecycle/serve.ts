/**
 * Runs the daemon once it holds the lock: socket, warm holders, periodic tasks, orderly shutdown.
 */
import { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { quickSettingsFrom } from "../../config/quick-settings.ts";
import { closeQuietly } from "../../platform/fs/descriptors.ts";
import { openLog } from "../../platform/log/log.ts";
import { ownEnvironment } from "../../platform/process/own-environment.ts";
import { type Peer, peerOf } from "../../platform/sockets/unix-socket.ts";
import type { StartedBy } from "../../protocol/types/session.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { clearReservedDirs } from "../../transcript/write/reserved-dir.ts";
import { daemonSocketPath, type Layout } from "../../transcript/layout.ts";
import { SessionAccess } from "../sessions/session-access.ts";
import { Admission } from "../sessions/admission.ts";
import { ApprovalQueue } from "../policy/approval-queue.ts";
import { UserApproval } from "../policy/user-approval.ts";
import { Audit } from "../audit/audit.ts";
import { methodsFor } from "../calls/call.ts";
import { PeriodicTasks } from "./periodic-tasks.ts";
import type { DaemonLock } from "./daemon-lock.ts";
import { Connection } from "../calls/connection.ts";
import { type Caller, callerFrom, keyOf } from "../calls/caller.ts";
import { CurrentSettings } from "../current-settings.ts";
import { Gate } from "../calls/gate.ts";
import { DaemonContext } from "../daemon-context.ts";
import { LiveSessions } from "../sessions/live-sessions.ts";
import { OutputTotal } from "../sessions/output-total.ts";
import { OwnSocket } from "./own-socket.ts";
import { CurrentPolicy } from "../policy/current-policy.ts";
import { exitIfReplaced } from "./upgrade-exit.ts";
import { ServedFiles } from "../files/served-files.ts";
import { type Inherited, SessionSlots } from "../sessions/session-slots.ts";
import { SessionPool } from "../sessions/session-pool.ts";
import { SocketGuard } from "./socket-guard.ts";
import { WarmPool } from "../sessions/warm-pool.ts";
import { Web } from "../web/web.ts";
import { httpSlotKey, WebSlots } from "../web/web-slots.ts";

/** How long pending answers may take when the daemon ends. */
const LAST_ANSWERS_MS = 50;

export interface ServeOptions {
  layout: Layout;
  lock: DaemonLock;
  /** Called when the daemon is up and can no longer fail to start. */
  onUp: () => void;
}

export async function serve({ layout, lock, onUp }: ServeOptions): Promise<void> {
  const path = daemonSocketPath(layout);
  using socket = new OwnSocket(path);

  const settings = new CurrentSettings();
  using log = openLog(layout.logFile, quickSettingsFrom(settings.lastValid).log);
  const sessions = new LocalSessions(layout);
  using live = new LiveSessions(sessions);
  const outputs = new OutputTotal();
  using holders = new WarmPool(ownEnvironment({ HOLT_STATE_DIR: layout.root }));
  const queue = new ApprovalQueue(layout);
  using audit = new Audit(layout.auditFile, settings, (error) =>
    log.write("error", "calls cannot be written down", { file: layout.auditFile, error }),
  );
  const userApproval = new UserApproval(settings, queue);
  const gate = new Gate({ settings, audit, log });
  const slots = new SessionSlots(() => inherited(sessions, holders, keyOf));
  const webSlots = new WebSlots(new SessionSlots(() => inherited(sessions, holders, httpSlotKey)), settings);
  const policy = new CurrentPolicy(settings);
  const files = new ServedFiles(policy, layout);
  const admission = new Admission({ policy, gate, userApproval, slots, webSlots, files });
  const { promise: ended, resolve: shutDown } = Promise.withResolvers<void>();
  const daemon = new DaemonContext({
    sessions,
    log,
    pool: new SessionPool({ holders, settings, admission, outputs }),
    settings,
    gate,
    live,
    outputs,
    access: new SessionAccess({ settings, sessions, userApproval }),
    userApproval,
    files,
    shutDown,
  });
  const connections = new Set<Connection>();
  const accepting = { daemon, connections };
  using web = new Web({ daemon, methodsFor: (caller) => methodsFor(caller, daemon) });
  daemon.web = web;
  const refused = (why: string): void => log.write("warn", "not accepted", { error: why });
  socket.listen({
    accepted(fd) {
      const peer = peerOf(fd);
      if (peer === null || peer.user === process.getuid?.()) void accept(fd, peer, accepting);
      else {
        closeQuietly(fd);
        refused(`a connection of user ${peer.user}`);
      }
    },
    refused,
  });
  const guard = new SocketGuard({ lock, socket, log, shutDown });
  using _tasks = new PeriodicTasks(daemon, guard);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => shutDown());
  process.on("SIGHUP", () => {});
  process.on("SIGUSR1", () => guard.check());
  log.write("info", "daemon started", { pid: process.pid, version: VERSION, socket: path });

  clearReservedDirs(layout);
  void web.resume();
  onUp();

  await ended;
  socket[Symbol.dispose]();
  await Bun.sleep(LAST_ANSWERS_MS);
  for (const connection of connections) connection.terminate();
  log.write("info", "daemon ended", { pid: process.pid });
}

interface Accepting {
  daemon: DaemonContext;
  connections: Set<Connection>;
}

async function accept(fd: number, peer: Peer | null, { daemon, connections }: Accepting): Promise<void> {
  let connection: Connection | null = null;
  let isClosed = false;
  const closed = (): void => {
    if (!isClosed) daemon.clients--;
    isClosed = true;
    if (connection !== null) connections.delete(connection);
    exitIfReplaced(daemon);
  };
  let caller: Caller | null = null;
  const identify = (): Caller => (caller ??= callerFrom(peer?.pid ?? null));
  const methods = methodsFor(identify, daemon);
  daemon.clients++;
  try {
    connection = await Connection.open(fd, { methods, closed });
    if (!isClosed) connections.add(connection); // it may be closed by now
    setImmediate(identify); // while the client makes its first call
  } catch (error) {
    closed();
    daemon.log.write("warn", "not accepted", { error: String(error) });
  }
}

/**
 * Running sessions that an earlier daemon started, with their callers; sessions of uncounted
 * callers are left out.
 */
function inherited(
  sessions: LocalSessions,
  holders: WarmPool,
  callerOf: (by: StartedBy) => string | null,
): Inherited[] {
  return sessions.list({ states: ["starting", "running"] }).flatMap(({ started_by, holder }) => {
    const caller = started_by === null || holders.isOurs(holder.pid) ? null : callerOf(started_by);
    return caller === null ? [] : [{ caller, holder }];
  });
}
