/**
 * Control groups (cgroup v2): limits on all processes of a session together.
 *
 * A group is a directory below a parent group that delegates its controllers. A group that
 * delegates may have no processes of its own, except the root. A process can only be moved by a
 * user who may write to the common ancestor of both groups.
 */
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { closeQuietly } from "../fs/descriptors.ts";
import { errnoOf, HoltError } from "../../protocol/types/errors.ts";
import { bytesOf } from "../../protocol/types/bytes.ts";
import { isWritable, makeDirectory, openSync, removeDirectoryIfFree, writeSync } from "../fs/libc-fs.ts";
import { readProc } from "./processes.ts";

export type Controller = "memory" | "pids";

export interface GroupLimits {
  memoryBytes: number | null;
  processes: number | null;
}

const DELEGATE =
  "set limits.cgroup to a cgroup v2 directory that you own and that has no processes; `systemd-run --user --scope -p Delegate=yes` creates one";

export class ControlGroup {
  readonly path: string;
  /** cgroup.procs: a process that writes "0" to it enters the group. Close-on-exec. */
  readonly procs: number;

  /** Creates the group. Throws where that fails, and leaves nothing behind. */
  constructor(path: string, { memoryBytes, processes }: GroupLimits) {
    this.path = path;
    removeDirectoryIfFree(path); // left by a session with the same id whose holder was killed
    makeDirectory(path, 0o755);
    try {
      if (memoryBytes !== null) {
        this.#set("memory.max", String(memoryBytes));
        this.#try("memory.swap.max", "0"); // otherwise swap would replace memory
        this.#try("memory.oom.group", "1"); // ends the whole session, not only its largest process
      }
      if (processes !== null) this.#set("pids.max", String(processes));
      this.procs = openSync(`${path}/cgroup.procs`, fileConstants.O_WRONLY | O_CLOEXEC);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** True when the kernel ended the group for using too much memory. */
  get wasOutOfMemory(): boolean {
    return Number(/^oom_kill (\d+)$/m.exec(readProc(`${this.path}/memory.events`) ?? "")?.[1] ?? 0) > 0;
  }

  /** While frozen, no process in the group runs. Needs Linux 5.2. */
  freeze(isFrozen: boolean): void {
    this.#try("cgroup.freeze", isFrozen ? "1" : "0");
  }

  /** Sends SIGKILL to every process in the group, forks in progress included. Needs Linux 5.14. */
  kill(): void {
    this.#try("cgroup.kill", "1");
  }

  /** False while the group has processes. */
  remove(): boolean {
    try {
      return removeDirectoryIfFree(this.path);
    } catch {
      return false;
    }
  }

  #set(file: string, value: string): void {
    const fd = openSync(`${this.path}/${file}`, fileConstants.O_WRONLY | O_CLOEXEC);
    try {
      writeSync(fd, value);
    } finally {
      closeQuietly(fd);
    }
  }

  #try(file: string, value: string): void {
    try {
      this.#set(file, value);
    } catch {
      // an older kernel, or one without swap
    }
  }
}

/**
 * A directory in which groups with these controllers can be created: the configured one, or the
 * nearest ancestor of this process's group that delegates them. Throws when there is none.
 */
export function groupParent(configured: string | null, needed: readonly Controller[]): string {
  if (configured !== null) {
    const problem = problemWith(configured, needed);
    if (problem === null) return configured;
    throw new HoltError("EDENIED", `limits.cgroup: ${configured} ${problem}`, { hint: DELEGATE });
  }
  const own = ownGroup();
  if (own === null) throw new HoltError("EDENIED", "cgroup v2 is not mounted here", { hint: DELEGATE });
  for (const path of own.upwards) if (problemWith(path, needed) === null) return path;
  const [nearest = own.mount] = own.upwards;
  throw new HoltError(
    "EDENIED",
    `no control group from ${nearest} up to ${own.mount} ${missingSupport(own.mount, needed)}`,
    {
      hint: DELEGATE,
    },
  );
}

function missingSupport(mount: string, needed: readonly Controller[]): string {
  const there = readWords(`${mount}/cgroup.controllers`) ?? [];
  const missing = needed.filter((controller) => !there.includes(controller));
  if (missing.length > 0) return `has ${missing.join(" and ")}: cgroup v1 may have them`;
  return `is writable and delegates ${needed.join(" and ")}`;
}

/**
 * This process's cgroup v2 group and its ancestors, nearest first; null where v2 is not mounted.
 */
function ownGroup(): { mount: string; upwards: string[] } | null {
  const place = /^0::(\/.*)$/m.exec(readProc("/proc/self/cgroup") ?? "")?.[1];
  const mount = / (\/\S*) \S+(?: \S+:\d+)* - cgroup2 /.exec(readProc("/proc/self/mountinfo") ?? "")?.[1];
  if (place === undefined || mount === undefined) return null;
  const parts = place.split("/").filter((part) => part !== "");
  const upwards = [...parts.keys(), parts.length].map((count) => [mount, ...parts.slice(0, count)].join("/"));
  return { mount, upwards: upwards.toReversed() };
}

function problemWith(path: string, needed: readonly Controller[]): string | null {
  const there = readWords(`${path}/cgroup.controllers`);
  if (there === null) return "is not a cgroup v2 directory";
  if (!isWritable(path)) return "is not writable";
  const missing = needed.filter((controller) => !there.includes(controller));
  if (missing.length > 0) return `has no controller ${missing.join(", ")}`;
  const shared = readWords(`${path}/cgroup.subtree_control`) ?? [];
  const unshared = needed.filter((controller) => !shared.includes(controller));
  return unshared.length === 0 ? null : delegateControllers(path, unshared);
}

/**
 * Never changes the machine's root group (it has no cgroup.type): that is the administrator's, and
 * the groups above a user's session delegate already, or are configured.
 */
function delegateControllers(path: string, controllers: readonly Controller[]): string | null {
  if (readProc(`${path}/cgroup.type`) === null) return `does not delegate ${controllers.join(", ")}`;
  try {
    const fd = openSync(`${path}/cgroup.subtree_control`, fileConstants.O_WRONLY | O_CLOEXEC);
    try {
      writeSync(fd, bytesOf(controllers.map((controller) => `+${controller}`).join(" ")));
    } finally {
      closeQuietly(fd);
    }
    return null;
  } catch (error) {
    const why = errnoOf(error) === "EBUSY" ? "it has processes of its own" : (errnoOf(error) ?? String(error));
    return `cannot delegate ${controllers.join(", ")}: ${why}`;
  }
}

function readWords(path: string): string[] | null {
  return readProc(path)?.trim().split(/\s+/) ?? null;
}
