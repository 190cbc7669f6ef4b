/**
 * Who is at the other end of a connection. The kernel tells the process, and /proc what that is; nobody can say anything else of himself.
 *
 * `holt start` is the person at the command line, who is not policed: `holt run` would do the same without a daemon. Whoever can run
 * programs as this user needs no API; the policy is for those who have nothing else, as a model has behind `holt mcp`.
 */
import { readFileSync } from "../platform/fs.ts";
import { splitNul } from "../platform/raw-arguments.ts";
import { isSameFile, pathStat } from "../platform/stat.ts";
import { textOf } from "../protocol/bytes.ts";

export interface Caller {
  kind: "person" | "program";
  /** For people: `holt mcp`, `python3`. */
  label: string;
  /** Null where the system does not tell. */
  pid: number | null;
  /** For counting: what one process has open is one caller's. */
  key: string;
}

/** Commands of ours that only a person gives. */
const PERSONAL = ["start"];

export function callerFrom(pid: number | null): Caller {
  const { kind, label } = pid !== null && pid > 0 ? look(pid) : UNKNOWN;
  return { kind, label, pid, key: `${label} ${pid}` };
}

const UNKNOWN = { kind: "program", label: "unknown" } as const;

function look(pid: number): Pick<Caller, "kind" | "label"> {
  try {
    const [, command = ""] = splitNul(readFileSync(`/proc/${pid}/cmdline`)).map(textOf);
    const isOurs = isSameFile(pathStat(`/proc/${pid}/exe`), pathStat("/proc/self/exe"));
    if (!isOurs) return { kind: "program", label: nameOf(pid) };
    return { kind: PERSONAL.includes(command) ? "person" : "program", label: `holt ${command}` };
  } catch {
    return UNKNOWN; // it has ended, or is not ours to look at
  }
}

function nameOf(pid: number): string {
  return textOf(readFileSync(`/proc/${pid}/comm`))
    .trim()
    .slice(0, 64);
}
