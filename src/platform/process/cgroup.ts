/**
 * Control groups, version 2: what all processes of a session together may use. A group is a directory, made below another that shares out its controllers; a
 * group that does so may have no processes of its own (but for the root), and nobody is put into a group who may not write to the one that is above both.
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
  "set limits.cgroup to a directory of cgroup v2 that is yours and in which no process is; `systemd-run --user --scope -p Delegate=yes` makes one";

export class ControlGroup {
  readonly path: string;
  /** Who writes "0" to it is in the group. Closed in children. */
  readonly procs: number;

  /** Throws where it cannot be had, and leaves nothing behind. */
  constructor(path: string, { memoryBytes, processes }: GroupLimits) {
    this.path = path;
    removeDirectoryIfFree(path); // of a session of the same id, whose holder was killed
    makeDirectory(path, 0o755);
    try {
      if (memoryBytes !== null) {
        this.#set("memory.max", String(memoryBytes));
        this.#try("memory.swap.max", "0"); // or it would be used in the place of memory
        this.#try("memory.oom.group", "1"); // the whole session, not the process that happens to be the largest
      }
      if (processes !== null) this.#set("pids.max", String(processes));
      this.procs = openSync(`${path}/cgroup.procs`, fileConstants.O_WRONLY | O_CLOEXEC);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Whether the kernel has ended it for using too much memory. */
  get wasOutOfMemory(): boolean {
    return Number(/^oom_kill (\d+)$/m.exec(readProc(`${this.path}/memory.events`) ?? "")?.[1] ?? 0) > 0;
  }

  /** Nothing in it runs until it is thawed. Kernels before 5.2 cannot. */
  freeze(isFrozen: boolean): void {
    this.#try("cgroup.freeze", isFrozen ? "1" : "0");
  }

  /** SIGKILL to everything in it, also to what is forked meanwhile. Kernels before 5.14 cannot. */
  kill(): void {
    this.#try("cgroup.kill", "1");
  }

  /** False while something is in it. */
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

/** A directory in which groups with these controllers can be made: the configured one, or the nearest above us that shares them out. Throws why there is none. */
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
  throw new HoltError("EDENIED", `no control group from ${nearest} up to ${own.mount} ${lack(own.mount, needed)}`, {
    hint: DELEGATE,
  });
}

function lack(mount: string, needed: readonly Controller[]): string {
  const there = words(`${mount}/cgroup.controllers`) ?? [];
  const missing = needed.filter((controller) => !there.includes(controller));
  if (missing.length > 0) return `has ${missing.join(" and ")}: version 1 may have them`;
  return `may be written to by us and shares out ${needed.join(" and ")}`;
}

/** Our own group in version 2 and those above it, the nearest first; null where it is not mounted. */
function ownGroup(): { mount: string; upwards: string[] } | null {
  const place = /^0::(\/.*)$/m.exec(readProc("/proc/self/cgroup") ?? "")?.[1];
  const mount = / (\/\S*) \S+(?: \S+:\d+)* - cgroup2 /.exec(readProc("/proc/self/mountinfo") ?? "")?.[1];
  if (place === undefined || mount === undefined) return null;
  const parts = place.split("/").filter((part) => part !== "");
  const upwards = [...parts.keys(), parts.length].map((count) => [mount, ...parts.slice(0, count)].join("/"));
  return { mount, upwards: upwards.toReversed() };
}

function problemWith(path: string, needed: readonly Controller[]): string | null {
  const there = words(`${path}/cgroup.controllers`);
  if (there === null) return "is no control group of version 2";
  if (!isWritable(path)) return "is not writable";
  const missing = needed.filter((controller) => !there.includes(controller));
  if (missing.length > 0) return `has no controller ${missing.join(", ")}`;
  const shared = words(`${path}/cgroup.subtree_control`) ?? [];
  const unshared = needed.filter((controller) => !shared.includes(controller));
  return unshared.length === 0 ? null : shareOut(path, unshared);
}

/** Not of the machine's root, which is nobody's to change without being asked: what is above our own session shares out already, or is configured. */
function shareOut(path: string, controllers: readonly Controller[]): string | null {
  if (readProc(`${path}/cgroup.type`) === null) return `does not share out ${controllers.join(", ")}`;
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
    return `cannot share out ${controllers.join(", ")}: ${why}`;
  }
}

function words(path: string): string[] | null {
  return readProc(path)?.trim().split(/\s+/) ?? null;
}
