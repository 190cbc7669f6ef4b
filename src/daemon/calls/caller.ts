/**
 * Who is at the other end of a connection. The kernel tells the process, and /proc what that is; nobody can say anything else of himself.
 *
 * `holt start` is the person at the command line, who is not policed: `holt run` would do the same without a daemon. Whoever can run
 * programs as this user needs no API; the policy is for those who have nothing else, as a model has behind `holt mcp`.
 */
import { readFileSync } from "../../platform/fs/libc-fs.ts";
import { identityOf } from "../../platform/process/processes.ts";
import { splitNul } from "../../platform/process/raw-arguments.ts";
import { isSameFile, pathStat } from "../../platform/fs/stat.ts";
import { textOf } from "../../protocol/types/bytes.ts";
import type { ProcessIdentity, StartedBy } from "../../protocol/types/session.ts";

export interface Caller {
  kind: "person" | "program";
  /** For people: `holt mcp`, `python3`. */
  label: string;
  /** Null where the system does not tell. */
  pid: number | null;
  /** So that a pid used again is somebody else; null also for the person at the command line, whose calls nobody counts. */
  process: ProcessIdentity | null;
  /** What one process has open, and what it started, is one caller's. Of whom nothing is known, nothing is. */
  key: string;
  /** What is started over HTTP has a bound of its own. */
  via: "socket" | "http";
  /** The one session that it was given a key to, by somebody who might act on it; null: none. */
  given: string | null;
}

/** Commands of ours that only a person gives. */
const PERSONAL = ["start", "daemon", "web", "share"];
const MAX_LABEL = 64;
const HERE = { via: "socket", given: null } as const;
const UNKNOWN = { kind: "program", label: "unknown", ...HERE } as const;

export function callerFrom(pid: number | null): Caller {
  if (pid === null || pid <= 0) return { ...UNKNOWN, pid: null, process: null, key: UNKNOWN.kind };
  try {
    const [, command = ""] = splitNul(readFileSync(`/proc/${pid}/cmdline`)).map(textOf);
    const isOurs = isSameFile(pathStat(`/proc/${pid}/exe`), pathStat("/proc/self/exe"));
    const label = isOurs ? `holt ${command}`.slice(0, MAX_LABEL) : nameOf(pid);
    if (isOurs && PERSONAL.includes(command))
      return { kind: "person", label, pid, process: null, key: "person", ...HERE };
    return { kind: "program", label, pid, ...known(pid), ...HERE };
  } catch {
    return { ...UNKNOWN, pid, ...known(pid) }; // it has ended, or is not ours to look at
  }
}

function known(pid: number): Pick<Caller, "process" | "key"> {
  const process = identityOf(pid);
  return { process, key: keyOf(process) };
}

export function keyOf({ pid, start_time, boot_id }: ProcessIdentity): string {
  return `${pid} ${start_time} ${boot_id}`;
}

/** As a session's record has it. */
export function startedBy({ label, process }: Caller): StartedBy {
  return { label, ...(process ?? { pid: 0, start_time: null, boot_id: null }) };
}

function nameOf(pid: number): string {
  return textOf(readFileSync(`/proc/${pid}/comm`))
    .trim()
    .slice(0, MAX_LABEL);
}
