/** Checks the operating system for `holt doctor`. */
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

/** Open files that a session on a terminal needs (process/resolve-command.ts). */
const LEAST_FILES = 256;

export async function machineChecks(): Promise<Check[]> {
  return [
    platform(),
    ok("version", `holt ${VERSION}, Bun ${Bun.version}`),
    terminals(),
    native(),
    canBeSubreaper()
      ? ok("subreaper", "detached processes are found")
      : missing(
          "subreaper",
          "not available",
          "a process that detaches with a double fork is not ended with its session",
        ),
    await cgroupCheck(),
    hasOpenat2()
      ? ok("openat2", "the kernel confines paths")
      : missing("openat2", "not in this kernel", "holt confines paths part by part, which is slower"),
    hasRenameat2()
      ? ok("renameat2", "the kernel refuses to replace existing files")
      : missing("renameat2", "not in this kernel", "holt needs another call to detect an existing file"),
    files(),
    tmux(),
  ];
}

function platform(): Check {
  const found = `${process.platform} ${process.arch}, ${release()}`;
  if (process.platform === "linux" && process.arch === "x64") return ok("platform", found);
  return missing("platform", found, "holt is tested only on Linux on x86-64; see docs/platforms.md");
}

function terminals(): Check {
  const problem = terminalProblem();
  if (problem === null) return ok("terminals", "available");
  return wrong(
    "terminals",
    problem,
    "sessions can run only on pipes; check that /dev/pts is mounted and kernel.pty.max is not reached",
  );
}

function native(): Check {
  if (machineCode() !== null) return ok("native poller", "in use");
  const why =
    process.env["HOLT_NO_NATIVE"] === "1" ? "disabled by HOLT_NO_NATIVE" : "this system does not allow executing it";
  return missing("native poller", why, "output is noticed up to 10 ms later, and the sender of a signal is unknown");
}

/** Creates a group and moves a process into it: permission bits do not tell whether that works. */
async function cgroupCheck(): Promise<Check> {
  const costs = "no limits on whole sessions (session-memory, session-processes)";
  try {
    const parent = groupParent(await configuredGroup(), ["memory", "pids"]);
    const group = new ControlGroup(`${parent}/holt-doctor-${process.pid}`, { memoryBytes: null, processes: 100 });
    try {
      return await groupCheck(group, parent, costs);
    } finally {
      closeQuietly(group.procs);
      group.remove();
    }
  } catch (error) {
    const { message, hint } = error instanceof HoltError ? error : { message: String(error), hint: null };
    return missing("cgroup v2", message, hint === null ? costs : `${costs}; ${hint}`);
  }
}

/** An invalid configuration is reported by its own check. */
async function configuredGroup(): Promise<string | null> {
  try {
    return (await quickSettings()).cgroup;
  } catch {
    return null;
  }
}

async function groupCheck(group: ControlGroup, parent: string, costs: string): Promise<Check> {
  await using probe = Bun.spawn(["cat"], { stdin: "pipe" });
  try {
    writeSync(group.procs, String(probe.pid));
    return ok("cgroup v2", `sessions can have their own groups in ${parent}`);
  } catch (error) {
    return missing("cgroup v2", `cannot move a process into a group in ${parent}: ${errnoOf(error)}`, costs);
  } finally {
    probe.kill("SIGKILL");
    await probe.exited;
  }
}

function files(): Check {
  const limit = /^Max open files\s+(\S+)/m.exec(readProc("/proc/self/limits") ?? "")?.[1] ?? "unknown";
  if (limit !== "unknown" && limit !== "unlimited" && Number(limit) < LEAST_FILES)
    return wrong(
      "open files",
      limit,
      `a session on a terminal needs ${LEAST_FILES}; raise the limit with \`ulimit -n\``,
    );
  return ok("open files", limit);
}

function tmux(): Check {
  const path = Bun.which("tmux");
  return path === null ? missing("tmux", "not in PATH", "`holt tmux` is not available") : ok("tmux", path);
}
