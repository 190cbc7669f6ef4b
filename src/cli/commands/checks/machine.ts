/** The kernel and the system. */
import { release } from "node:os";
import { quickSettings } from "../../../config/quick-settings.ts";
import { ControlGroup, groupParent } from "../../../platform/process/cgroup.ts";
import { closeQuietly } from "../../../platform/fs/descriptors.ts";
import { writeSync } from "../../../platform/fs/libc-fs.ts";
import { machineCode } from "../../../platform/native/machine-code.ts";
import { canBeSubreaper, hasOpenat2, hasRenameat2, terminalProblem } from "../../../platform/feature-probe.ts";
import { readProc } from "../../../platform/process/processes.ts";
import { errnoOf, HoltError } from "../../../protocol/types/errors.ts";
import { VERSION } from "../../../protocol/types/version.ts";
import { type Check, missing, ok, wrong } from "./check.ts";

/** On a terminal a session needs this many (process/resolve-command.ts). */
const LEAST_FILES = 256;

export async function machineChecks(): Promise<Check[]> {
  return [
    platform(),
    ok("version", `holt ${VERSION}, Bun ${Bun.version}`),
    terminals(),
    native(),
    canBeSubreaper()
      ? ok("subreaper", "processes that escape are found")
      : missing("subreaper", "not to be had", "what escapes by a double fork is not ended with its session"),
    await cgroupCheck(),
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

/** By making one: where it would be, and whether somebody can be put into it, no permission bit tells. */
async function cgroupCheck(): Promise<Check> {
  const costs = "no limits for a session as a whole (session-memory, session-processes)";
  try {
    const parent = groupParent(await configuredGroup(), ["memory", "pids"]);
    const group = new ControlGroup(`${parent}/holt-doctor-${process.pid}`, { memoryBytes: null, processes: 100 });
    try {
      return await tried(group, parent, costs);
    } finally {
      closeQuietly(group.procs);
      group.remove();
    }
  } catch (error) {
    const { message, hint } = error instanceof HoltError ? error : { message: String(error), hint: null };
    return missing("cgroup v2", message, hint === null ? costs : `${costs}; ${hint}`);
  }
}

/** A configuration that is wrong has a line of its own, and says nothing about the machine. */
async function configuredGroup(): Promise<string | null> {
  try {
    return (await quickSettings()).cgroup;
  } catch {
    return null;
  }
}

async function tried(group: ControlGroup, parent: string, costs: string): Promise<Check> {
  await using somebody = Bun.spawn(["cat"], { stdin: "pipe" });
  try {
    writeSync(group.procs, String(somebody.pid));
    return ok("cgroup v2", `sessions may have groups of their own in ${parent}`);
  } catch (error) {
    return missing("cgroup v2", `nobody can be put into a group in ${parent}: ${errnoOf(error)}`, costs);
  } finally {
    somebody.kill("SIGKILL");
    await somebody.exited;
  }
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
