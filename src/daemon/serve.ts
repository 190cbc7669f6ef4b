/** From the claim to the end: the socket, the warm holders, what is done every few minutes, and an orderly way out. */
import { LocalSessions } from "../client/local-sessions.ts";
import { withPrivateUmask } from "../platform/files.ts";
import { unlinkIfThere } from "../platform/fs.ts";
import { closeQuietly } from "../platform/descriptors.ts";
import { Listener } from "../platform/listener.ts";
import { openLog } from "../platform/log.ts";
import { environmentWithout } from "../platform/raw-arguments.ts";
import { listenUnix, peerUser } from "../platform/unix-socket.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { VERSION } from "../protocol/version.ts";
import { daemonSocketPath, type Layout, privateDirectory } from "../transcript/layout.ts";
import { Births } from "./births.ts";
import { call, knows } from "./call.ts";
import { Chores } from "./chores.ts";
import { clearStages } from "./clear-stages.ts";
import { Connection } from "./connection.ts";
import { Household } from "./household.ts";
import type { Asking } from "../surfaces/jsonrpc/conversation.ts";
import { rehearse } from "./rehearsal.ts";
import { retireIfReplaced } from "./retirement.ts";
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

  using log = openLog(layout.logFile);
  using births = new Births();
  using pool = new WarmPool({ env: holderEnvironment(layout), started: (pid) => births.started(pid) });
  const { promise: over, resolve: shutDown } = Promise.withResolvers<void>();
  const household = new Household({ sessions: new LocalSessions(layout), log, pool, births, shutDown });
  const connections = new Set<Connection>();
  const refused = (why: string): void => log.write("warn", "not accepted", { error: why });
  using listener = new Listener({
    listener: listening,
    accepted(fd) {
      const user = peerUser(fd);
      if (user === null || user === process.getuid?.()) void welcome(fd, household, connections);
      else {
        closeQuietly(fd);
        refused(`a connection of user ${user}`);
      }
    },
    refused,
  });
  using _chores = new Chores(household);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => shutDown());
  process.on("SIGHUP", () => {});
  log.write("info", "daemon started", { pid: process.pid, version: VERSION, socket: path });

  clearStages(layout);
  setTimeout(rehearse, REHEARSE_MS).unref();

  await over;
  unlinkIfThere(path);
  listener[Symbol.dispose]();
  await Bun.sleep(LAST_ANSWERS_MS);
  for (const connection of connections) connection.terminate();
  log.write("info", "daemon ended", { pid: process.pid });
}

async function welcome(fd: number, household: Household, connections: Set<Connection>): Promise<void> {
  let connection: Connection | null = null;
  let isClosed = false;
  const closed = (): void => {
    if (!isClosed) household.clients--;
    isClosed = true;
    if (connection !== null) connections.delete(connection);
    retireIfReplaced(household);
  };
  const methods = {
    knows,
    call: (method: string, params: unknown, from: Asking) => call(household, method, params, from),
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

/** The state directory by its absolute name, and no mark of the session that the daemon was perhaps started from. */
function holderEnvironment(layout: Layout): Uint8Array[] {
  return [...environmentWithout("HOLT_STATE_DIR", "HOLT_SESSION_ID"), bytesOf(`HOLT_STATE_DIR=${layout.root}`)];
}
