/** From the claim to the end: the socket, the warm holders, what is done every few minutes, and an orderly way out. */
import { LocalSessions } from "../client/local-sessions.ts";
import { quickOf } from "../config/quick-settings.ts";
import { withPrivateUmask } from "../platform/files.ts";
import { unlinkIfThere } from "../platform/fs.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { Listener } from "../platform/listener.ts";
import { openLog } from "../platform/log.ts";
import { holderEnvironment } from "../platform/holder-environment.ts";
import { listenUnix, type Peer, peerOf } from "../platform/unix-socket.ts";
import { canonicalCall } from "../protocol/aliases.ts";
import { VERSION } from "../protocol/version.ts";
import { clearBerths } from "../transcript/berth.ts";
import { daemonSocketPath, type Layout, privateDirectory } from "../transcript/layout.ts";
import { Acting } from "./acting.ts";
import { Admission } from "./admission.ts";
import { answerBytes } from "./answer-size.ts";
import { ApprovalDesk } from "./approval-desk.ts";
import { AskingPerson } from "./asking-person.ts";
import { Audit } from "./audit.ts";
import { Births } from "./births.ts";
import { call, knows } from "./call.ts";
import { Census } from "./census.ts";
import { Chores } from "./chores.ts";
import { clearStages } from "./clear-stages.ts";
import { Connection } from "./connection.ts";
import { type Caller, callerFrom, keyOf } from "./caller.ts";
import { CurrentSettings } from "./current-settings.ts";
import { Gate } from "./gate.ts";
import { Household } from "./household.ts";
import { Passages } from "./passages.ts";
import { PolicyNow } from "./policy-now.ts";
import type { Asking } from "../surfaces/jsonrpc/asking.ts";
import { rehearse } from "./rehearsal.ts";
import { retireIfReplaced } from "./retirement.ts";
import { ServedFiles } from "./served-files.ts";
import { type Inherited, SessionSlots } from "./session-slots.ts";
import { SessionPool } from "./session-pool.ts";
import { WarmPool } from "./warm-pool.ts";

/** How long answers on their way may take when the daemon ends. */
const LAST_ANSWERS_MS = 50;
/** Whoever started the daemon is answered first. */
const REHEARSE_MS = 300;

export async function serve(layout: Layout): Promise<void> {
  const path = daemonSocketPath(layout);
  privateDirectory(path.slice(0, path.lastIndexOf("/")));
  unlinkIfThere(path);
  const listening = withPrivateUmask(() => listenUnix(path));

  const settings = new CurrentSettings();
  using log = openLog(layout.logFile, quickOf(settings.known).log);
  const sessions = new LocalSessions(layout);
  const census = new Census(sessions);
  using births = new Births(() => census.forget());
  using holders = new WarmPool({
    env: holderEnvironment({ HOLT_STATE_DIR: layout.root }),
    started: (pid) => births.started(pid),
  });
  const desk = new ApprovalDesk(layout);
  using audit = new Audit(layout.auditFile, settings);
  const asking = new AskingPerson(settings, desk);
  const passages = new Passages();
  const slots = new SessionSlots(() => inherited(sessions, births));
  const policy = new PolicyNow(settings);
  const files = new ServedFiles(policy, layout);
  const admission = new Admission({ policy, passages, asking, slots, files });
  const { promise: over, resolve: shutDown } = Promise.withResolvers<void>();
  const household = new Household({
    sessions,
    log,
    pool: new SessionPool({ holders, settings, admission }),
    births,
    settings,
    gate: new Gate({ settings, audit, passages }),
    census,
    acting: new Acting({ settings, sessions, asking }),
    asking,
    files,
    shutDown,
  });
  const connections = new Set<Connection>();
  const refused = (why: string): void => log.write("warn", "not accepted", { error: why });
  using listener = new Listener({
    listener: listening,
    accepted(fd) {
      const peer = peerOf(fd);
      if (peer === null || peer.user === process.getuid?.()) void welcome({ fd, peer }, household, connections);
      else {
        closeQuietly(fd);
        refused(`a connection of user ${peer.user}`);
      }
    },
    refused,
  });
  using _chores = new Chores(household);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => shutDown());
  process.on("SIGHUP", () => {});
  log.write("info", "daemon started", { pid: process.pid, version: VERSION, socket: path });

  clearStages(layout);
  clearBerths(layout);
  setTimeout(rehearse, REHEARSE_MS).unref();

  await over;
  unlinkIfThere(path);
  listener[Symbol.dispose]();
  await Bun.sleep(LAST_ANSWERS_MS);
  for (const connection of connections) connection.terminate();
  log.write("info", "daemon ended", { pid: process.pid });
}

interface Guest {
  fd: number;
  peer: Peer | null;
}

async function welcome({ fd, peer }: Guest, household: Household, connections: Set<Connection>): Promise<void> {
  let connection: Connection | null = null;
  let isClosed = false;
  const closed = (): void => {
    if (!isClosed) household.clients--;
    isClosed = true;
    if (connection !== null) connections.delete(connection);
    retireIfReplaced(household);
  };
  let caller: Caller | null = null;
  const methods = {
    knows,
    answerBytes,
    call: (name: string, given: unknown, from: Asking) => {
      caller ??= callerFrom(peer?.pid ?? null);
      // Before anybody looks at it: what counts, allows and records calls knows methods by one name.
      const { method, params } = canonicalCall(name, given);
      const arrival = { caller, method, alias: name === method ? null : name, params, from };
      return household.gate.pass(arrival, (passage) => call(household, passage, from));
    },
  };
  household.clients++;
  try {
    connection = await Connection.open(fd, methods, closed);
    if (!isClosed) connections.add(connection); // it may be over by now
  } catch (error) {
    closed();
    household.log.write("warn", "not accepted", { error: String(error) });
  }
}

/** What lives of the sessions that programs had from a daemon before this one. */
function inherited(sessions: LocalSessions, births: Births): Inherited[] {
  return sessions
    .list({ states: ["starting", "running"] })
    .flatMap(({ started_by, holder }) =>
      started_by === null || births.isOurs(holder.pid) ? [] : [{ caller: keyOf(started_by), holder }],
    );
}
