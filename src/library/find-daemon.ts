/** Where the daemon listens: as told, or as the executable says, which also starts one where there is none. */
import { execFile } from "node:child_process";
import { HoltError } from "../protocol/types/errors.ts";

export interface DaemonLocation {
  /** The daemon's socket, where one is known to listen; nothing is started then. */
  socket?: string;
  /** The state directory; HOLT_STATE_DIR or the usual place without it. */
  stateDir?: string;
  /** The `holt` to start a daemon with; the one in PATH without it. */
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
      const why = refusalIn(stderr) ?? { message: error === null ? "it did not say where" : error.message };
      reject(
        new HoltError("EIO", `cannot reach a daemon: ${why.message}`, {
          hint: why.hint ?? `is ${executable} installed? "executable" names another one, "socket" a daemon that runs`,
          cause: error,
        }),
      );
    });
  });
}

/** With --json it refuses in JSON; a shell, or a loader, does not. */
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
