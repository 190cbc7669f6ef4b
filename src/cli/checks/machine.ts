/** The kernel and the system. */
import { release } from "node:os";
import { machineCode } from "../../platform/machine-code.ts";
import { canBeSubreaper, cgroups, hasOpenat2, hasRenameat2, terminalProblem } from "../../platform/machine.ts";
import { readProc } from "../../platform/processes.ts";
import { VERSION } from "../../protocol/version.ts";
import { type Check, missing, ok, wrong } from "./check.ts";

/** On a terminal a session needs this many (process/resolve-command.ts). */
const LEAST_FILES = 256;

export function machineChecks(): Check[] {
  return [
    platform(),
    ok("version", `holt ${VERSION}, Bun ${Bun.version}`),
    terminals(),
    native(),
    canBeSubreaper()
      ? ok("subreaper", "processes that escape are found")
      : missing("subreaper", "not to be had", "what escapes by a double fork is not ended with its session"),
    cgroupCheck(),
    hasOpenat2()
      ? ok("openat2", "paths can be confined by the kernel")
      : missing("openat2", "not in this kernel", "paths are confined step by step, which takes longer"),
    hasRenameat2()
      ? ok("renameat2", "files can be replaced without a gap")
      : missing("renameat2", "not in this kernel", "a name that is taken is found out by another call"),
    files(),
    tmux(),
  ];
}

function platform(): Check {
  const found = `${process.platform} ${process.arch}, ${release()}`;
  if (process.platform === "linux" && process.arch === "x64") return ok("platform", found);
  return missing("platform", found, "holt is tested on Linux on x86-64 alone; docs/platforms.md says what to expect");
}

function terminals(): Check {
  const problem = terminalProblem();
  if (problem === null) return ok("terminals", "can be opened");
  return wrong(
    "terminals",
    problem,
    "sessions run on pipes only; is /dev/pts mounted, and kernel.pty.max not reached?",
  );
}

function native(): Check {
  if (machineCode() !== null) return ok("native poller", "in use");
  const why =
    process.env["HOLT_NO_NATIVE"] === "1" ? "switched off by HOLT_NO_NATIVE" : "this system lets nobody execute it";
  return missing("native poller", why, "output is noticed up to 10 ms later, and signals do not tell their sender");
}

function cgroupCheck(): Check {
  const found = cgroups();
  const costs = "limits count for each process, and not for a session as a whole";
  if (found.kind === "none") return missing("cgroup v2", "not mounted here", costs);
  if (found.kind === "read_only") return missing("cgroup v2", `${found.path} is not writable`, costs);
  const lacking = ["memory", "pids"].filter((controller) => !found.controllers.includes(controller));
  if (lacking.length > 0) return missing("cgroup v2", `${found.path} has no ${lacking.join(", no ")}`, costs);
  return ok("cgroup v2", `${found.path} is writable (${found.controllers.join(" ")}); not used yet: ${costs}`);
}

function files(): Check {
  const limit = /^Max open files\s+(\S+)/m.exec(readProc("/proc/self/limits") ?? "")?.[1] ?? "unknown";
  if (limit !== "unknown" && limit !== "unlimited" && Number(limit) < LEAST_FILES)
    return wrong("open files", limit, `a session on a terminal needs ${LEAST_FILES}: ulimit -n`);
  return ok("open files", limit);
}

function tmux(): Check {
  const path = Bun.which("tmux");
  return path === null ? missing("tmux", "not in PATH", "`holt tmux` is not to be had") : ok("tmux", path);
}
