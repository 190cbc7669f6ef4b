/**
 * What a process inherits beside its environment, directory and umask, as one text: limits, priority, blocked signals, user
 * and groups, capabilities, processors, sandbox, namespaces, control group, security label. A command started by a process of other circumstances
 * than the caller's would run under other rules, or in another container.
 * Ignored signals are not among them: a session begins without (platform/process/spawn.ts). Nor is the soft limit on open files: a daemon raises its own, and the caller's goes with the request.
 */
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { cstring, libc } from "../native/libc.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";

/** How lines of /proc/self/status begin. */
const STATUS_LINES = [
  "Uid:",
  "Gid:",
  "Groups:",
  "SigBlk:",
  "CapInh:",
  "CapPrm:",
  "CapEff:",
  "CapBnd:",
  "CapAmb:",
  "NoNewPrivs:",
  "Seccomp:",
  "Cpus_allowed:",
  "Mems_allowed:",
];
/** Not the cgroup: of every login and terminal window it is another, and as with any server sessions are where that was started. */
const FILES = ["limits", "oom_score_adj", "attr/current"];
/** The last two are those that its children get. */
const LINKS = [
  "ns/ipc",
  "ns/mnt",
  "ns/net",
  "ns/user",
  "ns/uts",
  "ns/cgroup",
  "ns/pid_for_children",
  "ns/time_for_children",
];
/** The row of `limits` whose soft limit is left out. */
const RAISED_LIMIT = "Max open files";

const SELECTED = new RegExp(`^(?:${STATUS_LINES.join("|")}).*`, "gm");
const PRIO_PROCESS = 0;
/** Each of them fits, so that one read(2) has it all. */
const block = new Uint8Array(32 * 1024);

export function contextHash(): string {
  const status = read("status").match(SELECTED) ?? [];
  const files = FILES.map(read).map(withoutRaised);
  const lines = [...status, ...files, ...LINKS.map(link)];
  const text = `${lines.join("\n")}\n${String.fromCharCode(kernelPriority())}`;
  return Bun.hash.murmur64v2(bytesOf(text)).toString(16).padStart(16, "0");
}

/** With spaces in its place. A pattern would take longer to compile than all of this. */
function withoutRaised(limits: string): string {
  const row = limits.indexOf(`\n${RAISED_LIMIT} `);
  if (row < 0) return limits;
  let from = row + 1 + RAISED_LIMIT.length;
  while (limits[from] === " ") from++;
  let to = from;
  while ((limits[to] ?? " ") > " ") to++;
  return limits.slice(0, from) + " ".repeat(to - from) + limits.slice(to);
}

/** As getpriority(2) returns it where no library is in between: 1 to 40, the highest first being 40. */
function kernelPriority(): number {
  return 20 - libc().getpriority(PRIO_PROCESS, 0);
}

/** Nothing where there is no such file, or where the kernel does not tell: every start comes by here, and an exception takes as long as all of it. */
function read(name: string): string {
  const fd = libc().open(cstring(`/proc/self/${name}`), fileConstants.O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return "";
  const length = Number(libc().read(fd, block, block.length));
  libc().close(fd);
  return textOf(block.subarray(0, Math.max(0, length)));
}

function link(name: string): string {
  const length = Number(libc().readlink(cstring(`/proc/self/${name}`), block, block.length));
  return textOf(block.subarray(0, Math.max(0, length)));
}
