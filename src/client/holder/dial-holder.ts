/**
 * Connects to a session's holder. If the socket's name is missing (removed by hand or by a cleanup
 * job), SIGUSR1 makes a live holder bind it again, and the client retries.
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

/** Null if no holder listens. `signal` closes the connection. */
export async function dialHolder(session: Session, signal: AbortSignal): Promise<HolderConnection | null> {
  const { socket } = session;
  if (socket === null) return null;
  const connection = await HolderConnection.dial(socket, signal);
  if (connection !== null || !isSocketMissing(session)) return connection;
  return dialAfterRebind(session, signal);
}

/** True if a running session has no socket at its path. */
export function isSocketMissing({ socket, state }: Session): boolean {
  return socket !== null && state === "running" && !existenceCheck(socket)();
}

/** Null if the holder does not bind its socket again, or cannot be signalled. */
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

/**
 * False if the holder was not signalled. A holder in the foreground is not: it forwards the signal
 * to its command, which may end.
 */
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
