/**
 * A connection to the holder of a session. One that lives and whose socket's name was removed, by somebody's cleaner or by hand, is told so (SIGUSR1), and binds it again;
 * what it is asked for is asked then, and nobody has noticed.
 */
import { readFileSync } from "../../platform/fs/libc-fs.ts";
import { isEnding } from "../../platform/process/processes.ts";
import { existenceCheck } from "../../platform/fs/stat.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import type { ProcessIdentity, Session } from "../../protocol/types/session.ts";
import { HOLDER_COMMAND } from "../../protocol/wire/start-request.ts";
import { HolderConnection } from "./holder-connection.ts";

const REBIND_TIMEOUT_MS = 1000;
const RETRY_MS = 20;

/** Null when nobody listens there. `signal` closes the connection. */
export async function dialHolder(session: Session, signal: AbortSignal): Promise<HolderConnection | null> {
  const { socket } = session;
  if (socket === null) return null;
  const connection = await HolderConnection.dial(socket, signal);
  if (connection !== null || !isSocketMissing(session)) return connection;
  return dialAfterRebind(session, signal);
}

/** The name of its socket, where somebody should answer. */
export function isSocketMissing({ socket, state }: Session): boolean {
  return socket !== null && state === "running" && !existenceCheck(socket)();
}

/** Null where it does not come back, or there is nobody to ask for it. */
export async function dialAfterRebind(
  { socket, holder }: Session,
  signal: AbortSignal,
): Promise<HolderConnection | null> {
  if (socket === null || !signalHolderToRebind(holder)) return null;
  for (const until = performance.now() + REBIND_TIMEOUT_MS; performance.now() < until && !signal.aborted; ) {
    await Bun.sleep(RETRY_MS);
    const connection = await HolderConnection.dial(socket, signal);
    if (connection !== null || isEnding(holder)) return connection;
  }
  return null;
}

/** Whether it was told. One in somebody's foreground is not: what it has no use for it gives to its command, which may die of it. */
function signalHolderToRebind(holder: ProcessIdentity): boolean {
  try {
    return isDetached(holder.pid) && !isEnding(holder) && process.kill(holder.pid, "SIGUSR1");
  } catch {
    return false; // it has ended
  }
}

function isDetached(pid: number): boolean {
  return textOf(readFileSync(`/proc/${pid}/cmdline`))
    .split("\0")
    .includes(HOLDER_COMMAND);
}
