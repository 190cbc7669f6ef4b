/** Checks the state directory, the daemon and the configuration for `holt doctor`. */
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { reachDaemon } from "../../../client/daemon/reach-daemon.ts";
import { stateError } from "../../../client/state-error.ts";
import { findConfigFile } from "../../../config/config-file.ts";
import { loadSettings } from "../../../config/settings.ts";
import { fileConstants } from "../../../platform/native/constants.ts";
import { closeQuietly } from "../../../platform/fs/descriptors.ts";
import { fsyncSync, openSync, unlinkIfThere, writeSync } from "../../../platform/fs/libc-fs.ts";
import { fileSystemOf } from "../../../platform/feature-probe.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { isUnsafePathError } from "../../../protocol/wire/unsafe-path.ts";
import { socketDirectoryOf } from "../../../client/daemon/socket-directory.ts";
import { ALIVE_MS } from "../machine/stop-daemon.ts";
import { type Check, missing, ok, wrong } from "./check.ts";

/** File systems whose locks or renames are not reliable. */
const REMOTE = /^(?:nfs\d?|cifs|smb\d?|smbfs|9p|fuse\..*|fuse|afs|ceph|glusterfs|lustre|virtiofs)$/;
const IN_MEMORY = /^(?:tmpfs|ramfs)$/;

export async function stateChecks(): Promise<Check[]> {
  const sessions = new LocalSessions();
  return [directory(sessions), fileSystem(sessions), sockets(sessions), configuration(), await daemon(sessions)];
}

function directory(sessions: LocalSessions): Check {
  try {
    sessions.prepare();
    tryToWrite(`${sessions.layout.run}/doctor-${process.pid}`);
    return ok("state directory", sessions.layout.root);
  } catch (error) {
    const known = stateError(error, "use the state directory");
    const hint =
      known instanceof HoltError && known.hint !== null ? known.hint : "set HOLT_STATE_DIR to another directory";
    return wrong("state directory", known instanceof Error ? known.message : String(known), hint);
  }
}

/** A full disk fails only at the first write, on some file systems only at fsync. */
function tryToWrite(path: string): void {
  const { O_CREAT, O_NOFOLLOW, O_WRONLY } = fileConstants;
  const fd = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeSync(fd, "holt doctor\n");
    fsyncSync(fd);
  } finally {
    closeQuietly(fd);
    unlinkIfThere(path);
  }
}

function fileSystem({ layout }: LocalSessions): Check {
  const type = fileSystemOf(layout.root);
  if (type === null) return missing("file system", "unknown", "its locks may not be reliable");
  if (REMOTE.test(type))
    return missing(
      "file system",
      type,
      "its locks may not show that a holder is alive, and waits may notice changes late",
    );
  if (IN_MEMORY.test(type)) return missing("file system", type, "its files are lost when the machine restarts");
  return ok("file system", type);
}

function sockets({ layout }: LocalSessions): Check {
  const { path, isElsewhere } = socketDirectoryOf(layout);
  if (!isElsewhere) return ok("sockets", path);
  return missing(
    "sockets",
    path,
    "the state directory's path is too long for a socket: if /tmp is cleared, sessions cannot be reached",
  );
}

function configuration(): Check {
  try {
    const { file } = loadSettings();
    return ok("configuration", file ?? "none");
  } catch (error) {
    const { message, hint } = error instanceof HoltError ? error : { message: String(error), hint: null };
    return wrong("configuration", message, hint ?? `run \`holt config check\`${fileName()}`);
  }
}

function fileName(): string {
  try {
    return `: ${findConfigFile(process.env) ?? ""}`;
  } catch {
    return ""; // there are two configuration files
  }
}

async function daemon({ layout }: LocalSessions): Promise<Check> {
  try {
    return await daemonAt(layout);
  } catch (error) {
    if (!isUnsafePathError(error)) throw error;
    return wrong("daemon", error.message, error.hint ?? "set HOLT_STATE_DIR to another directory");
  }
}

async function daemonAt(layout: LocalSessions["layout"]): Promise<Check> {
  const reached = await reachDaemon(layout);
  if (reached.kind === "none") return missing("daemon", "not running", "nothing: the next `holt start` starts it");
  if (reached.kind === "not_listening")
    return wrong("daemon", `pid ${reached.daemon.pid} does not listen`, "`holt daemon restart` replaces it");
  using client = reached.client;
  try {
    const { version, pid, warm } = await client.call("health.info", {}, { answerMs: ALIVE_MS });
    const socketNote = reached.wasRebound ? "; its socket was missing and has been created again" : "";
    return ok("daemon", `${version}, pid ${pid}, ${warm} holders ready${socketNote}`);
  } catch (error) {
    return wrong("daemon", error instanceof Error ? error.message : String(error), "`holt daemon restart` replaces it");
  }
}
