/**
 * What a process inherits beside its environment, directory and umask, as one text: limits, priority, blocked signals, user
 * and groups, capabilities, processors, sandbox. A command started by a process of other circumstances than the caller's would run under other rules.
 * Ignored signals are not among them: a session begins without (platform/spawn.ts).
 */
import { readFileSync } from "./fs.ts";
import { libc } from "./libc.ts";
import { textOf } from "../protocol/bytes.ts";

const STATUS =
  /^(?:Uid|Gid|Groups|SigBlk|CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp|Cpus_allowed|Mems_allowed):.*/gm;
const PRIO_PROCESS = 0;

export function circumstances(): string {
  const status = read("/proc/self/status").match(STATUS) ?? [];
  const all = [
    ...status,
    read("/proc/self/limits"),
    read("/proc/self/oom_score_adj"),
    libc().getpriority(PRIO_PROCESS, 0),
  ];
  return Bun.hash(all.join("\n")).toString(36);
}

function read(path: string): string {
  try {
    return textOf(readFileSync(path));
  } catch {
    return "";
  }
}
