/**
 * Finds the daemon's socket: as given, or by running the holt executable, which starts a daemon if
 * needed.
 */
import { execFile } from "node:child_process";
import { HoltError } from "../protocol/types/errors.ts";

export interface DaemonLocation {
  /** The socket of a running daemon; no daemon is started then. */
  socket?: string;
  /** The state directory; default: HOLT_STATE_DIR or the usual path. */
  stateDir?: string;
  /** The `holt` executable that starts a daemon; default: the one in PATH. */
  executable?: string;
}

const DEADLINE_MS = 15_000;

export function findDaemon({ socket, stateDir, executable = "holt" }: DaemonLocation): Promise<string> {
  if (socket !== undefined) return Promise.resolve(socket);
  const env = stateDir === undefined ? process.env : { ...process.env, HOLT_STATE_DIR: stateDir };
  return new Promise((resolve, reject) => {
    execFile(executable, ["daemon", "--json"], { env, timeout: DEADLINE_MS }, (error, stdout, stderr) => {
      const path = socketIn(stdout);
      if (error === null && path !== null) return resolve(path);
      const why = refusalIn(stderr) ?? { message: error === null ? "no socket in its answer" : error.message };
      reject(
        new HoltError("EIO", `cannot reach a daemon: ${why.message}`, {
          hint:
            why.hint ??
            `install ${executable}, or set "executable" to its path or "socket" to that of a running daemon`,
          cause: error,
        }),
      );
    });
  });
}

/** holt reports errors as JSON under --json; a shell or the loader does not. */
function refusalIn(stderr: string): { message: string; hint?: string } | null {
  try {
    const { message, hint } = (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
    return { message: String(message), ...(typeof hint === "string" ? { hint } : {}) };
  } catch {
    return stderr.trim() === "" ? null : { message: stderr.trim() };
  }
}

function socketIn(health: string): string | null {
  try {
    const { socket } = JSON.parse(health) as { socket?: unknown };
    return typeof socket === "string" ? socket : null;
  } catch {
    return null;
  }
}
