/**
 * Identifies the caller of a connection: the kernel reports the peer process, /proc its executable.
 *
 * `holt start` is the user at the command line, exempt from the policy: `holt run` does the same
 * without a daemon. The policy is for callers that have nothing but the API, such as a model behind
 * `holt mcp`.
 */
import { readFileSync } from "../../platform/fs/libc-fs.ts";
import { identityOf } from "../../platform/process/processes.ts";
import { splitNul } from "../../platform/process/raw-arguments.ts";
import { isSameFile, pathStat } from "../../platform/fs/stat.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import type { ProcessIdentity, StartedBy } from "../../protocol/types/session.ts";

export interface Caller {
  kind: "person" | "program";
  /** Display name: `holt mcp`, `python3`. */
  label: string;
  /** Null if the system does not report it. */
  pid: number | null;
  /**
   * The process, identified even when its pid is reused. Null if the pid is unknown, and for the
   * user at the command line, who has no limits.
   */
  process: ProcessIdentity | null;
  /**
   * Groups the calls and sessions of one process. All callers without a known pid share a key, and
   * so do all commands and pages of the user.
   */
  key: string;
  /** Sessions started over HTTP have a limit of their own. */
  via: "socket" | "http";
  /** The one session that the caller's token grants; null: none. */
  grantedSession: string | null;
}

/** holt commands that only the user runs. */
const USER_COMMANDS = ["start", "daemon", "web", "share"];
const MAX_LABEL = 64;
const VIA_SOCKET = { via: "socket", grantedSession: null } as const;
const UNKNOWN = { kind: "program", label: "unknown", ...VIA_SOCKET } as const;

/** The key of all callers without a known pid. */
const UNKNOWN_KEY = "program";

export function callerFrom(pid: number | null): Caller {
  if (pid === null || pid <= 0) return { ...UNKNOWN, pid: null, process: null, key: UNKNOWN_KEY };
  try {
    const [, command = ""] = splitNul(readFileSync(`/proc/${pid}/cmdline`)).map(textOf);
    const isOurs = isSameFile(pathStat(`/proc/${pid}/exe`), pathStat("/proc/self/exe"));
    const label = isOurs ? `holt ${command}`.slice(0, MAX_LABEL) : nameOf(pid);
    if (isOurs && USER_COMMANDS.includes(command))
      return { kind: "person", label, pid, process: null, key: "person", ...VIA_SOCKET };
    return { kind: "program", label, pid, ...identified(pid), ...VIA_SOCKET };
  } catch {
    return { ...UNKNOWN, pid, ...identified(pid) }; // it ended, or belongs to another user
  }
}

function identified(pid: number): Pick<Caller, "process" | "key"> {
  const process = identityOf(pid);
  return { process, key: keyOf(process) };
}

export function keyOf({ pid, start_time, boot_id }: ProcessIdentity): string {
  return `${pid} ${start_time} ${boot_id}`;
}

/** As stored in a session's record. */
export function startedBy({ label, process }: Caller): StartedBy {
  return { label, ...(process ?? { pid: 0, start_time: null, boot_id: null }) };
}

function nameOf(pid: number): string {
  return textOf(readFileSync(`/proc/${pid}/comm`))
    .trim()
    .slice(0, MAX_LABEL);
}
