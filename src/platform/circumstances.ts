/**
 * What a process inherits beside its environment, directory and umask, as one text: limits, priority, blocked signals, user
 * and groups, capabilities, processors, sandbox, namespaces, control group, security label. A command started by a process of other circumstances
 * than the caller's would run under other rules, or in another container.
 * Ignored signals are not among them: a session begins without (platform/spawn.ts).
 */
import { fileConstants, O_CLOEXEC } from "./constants.ts";
import { cstring, libc } from "./libc.ts";
import { textOf } from "../protocol/bytes.ts";

const STATUS =
  /^(?:Uid|Gid|Groups|SigBlk|CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp|Cpus_allowed|Mems_allowed):.*/gm;
/** Not the cgroup: of every login and terminal window it is another, and as with any server sessions are where that was started. */
const FILES = ["limits", "oom_score_adj", "attr/current"];
/** The last two are those that its children get. */
const NAMESPACES = ["ipc", "mnt", "net", "user", "uts", "cgroup", "pid_for_children", "time_for_children"];
const PRIO_PROCESS = 0;
/** Each of them fits, so that one read(2) has it all. */
const block = new Uint8Array(32 * 1024);

export function circumstances(): string {
  const status = read("status").match(STATUS) ?? [];
  const all = [...status, ...FILES.map(read), ...NAMESPACES.map(namespace), libc().getpriority(PRIO_PROCESS, 0)];
  return Bun.hash(all.join("\n")).toString(36);
}

/** Nothing where there is no such file, or where the kernel does not tell: every start comes by here, and an exception takes as long as all of it. */
function read(name: string): string {
  const fd = libc().open(cstring(`/proc/self/${name}`), fileConstants.O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return "";
  const length = Number(libc().read(fd, block, block.length));
  libc().close(fd);
  return textOf(block.subarray(0, Math.max(0, length)));
}

function namespace(name: string): string {
  const length = Number(libc().readlink(cstring(`/proc/self/ns/${name}`), block, block.length));
  return textOf(block.subarray(0, Math.max(0, length)));
}
