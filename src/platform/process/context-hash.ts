/**
 * A hash of the process context that children inherit besides environment, directory and umask:
 * limits, priority, blocked signals, user, capabilities, sandbox, namespaces, security label. A
 * command started from another context would run under other rules or in another container.
 *
 * Not included: ignored signals (a session starts without, spawn.ts), and the soft limit on open
 * files (a daemon raises its own; the caller's travels with the request).
 */
import { fileConstants, O_CLOEXEC } from "../native/constants.ts";
import { cstring, libc } from "../native/libc.ts";
import { bytesOf, textOf } from "../../protocol/types/bytes.ts";

/** Lines of /proc/self/status, by their beginning. */
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
/**
 * The cgroup is not included: each login and terminal window has its own, and sessions belong to
 * the daemon's, as with any server.
 */
const FILES = ["limits", "oom_score_adj", "attr/current"];
/** The last two are the namespaces that children get. */
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
/** Large enough for each file, so that one read(2) returns all of it. */
const block = new Uint8Array(32 * 1024);

export function contextHash(): string {
  const status = read("status").match(SELECTED) ?? [];
  const files = FILES.map(read).map(withoutRaisedLimit);
  const lines = [...status, ...files, ...LINKS.map(link)];
  const text = `${lines.join("\n")}\n${String.fromCharCode(kernelPriority())}`;
  return Bun.hash.murmur64v2(bytesOf(text)).toString(16).padStart(16, "0");
}

/** Blanks the limit. A regular expression would take longer to compile than all of this. */
function withoutRaisedLimit(limits: string): string {
  const row = limits.indexOf(`\n${RAISED_LIMIT} `);
  if (row < 0) return limits;
  let from = row + 1 + RAISED_LIMIT.length;
  while (limits[from] === " ") from++;
  let to = from;
  while ((limits[to] ?? " ") > " ") to++;
  return limits.slice(0, from) + " ".repeat(to - from) + limits.slice(to);
}

/** The raw value of the getpriority(2) system call: 1 to 40, where 40 is the highest priority. */
function kernelPriority(): number {
  return 20 - libc().getpriority(PRIO_PROCESS, 0);
}

/**
 * Empty when unreadable. Returns instead of throwing: an exception would double the cost of a
 * start.
 */
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
