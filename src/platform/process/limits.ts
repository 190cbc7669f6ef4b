/**
 * A command's resource limits as setrlimit(2) values, and as text for the two programs that set
 * them (leader-program.ts, process/limited.ts).
 */
import type { Limits } from "../../protocol/types/limits.ts";
import { libc } from "../native/libc.ts";
import { openFilesLimit } from "./open-files.ts";

const DARWIN = process.platform === "darwin";
const RLIMIT = { cpu: 0, fileSize: 1, memory: DARWIN ? 5 : 9, processes: DARWIN ? 7 : 6, files: DARWIN ? 8 : 7 };

export interface KernelLimit {
  resource: number;
  soft: bigint;
  hard: bigint;
}

/**
 * Limits set for a command in addition to the inherited ones: the requested ones, and the caller's
 * soft limit on open files (open-files.ts).
 */
export function commandLimits(requested: Limits | null, openFiles?: number): KernelLimit[] {
  if (requested === null) return openFilesLimit(openFiles);
  return [...(requested.files === null ? openFilesLimit(openFiles) : []), ...kernelLimits(requested)];
}

/** A requested limit is a maximum: a lower one that the caller already has stays in force. */
function kernelLimits(limits: Limits): KernelLimit[] {
  const { cpu_ms, memory_bytes, files, processes, file_size_bytes } = limits;
  const seconds = cpu_ms === null ? null : Math.ceil(cpu_ms / 1000);
  return [
    // SIGXCPU at the soft limit names the reason; SIGKILL follows one second later.
    ...limit(RLIMIT.cpu, seconds, 1),
    ...limit(RLIMIT.fileSize, file_size_bytes),
    ...limit(RLIMIT.processes, processes),
    ...limit(RLIMIT.files, files),
    ...limit(RLIMIT.memory, memory_bytes), // last: the process that sets the limits still needs memory
  ];
}

function limit(resource: number, most: number | null, beyond = 0): KernelLimit[] {
  if (most === null) return [];
  const now = new BigUint64Array(2);
  libc().getrlimit(resource, now);
  const hard = minimum(BigInt(most + beyond), now[1] ?? 0n);
  return [{ resource, soft: minimum(BigInt(most), hard), hard }];
}

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

const GROUP = "group";
const IGNORE = "ignore";

/** Steps of the leader program (or of holt's own executable in its place) before execve. */
export interface BeforeExec {
  limits: readonly KernelLimit[];
  /** The child's descriptor of cgroup.procs of the command's group; null: it stays in ours. */
  group: number | null;
  /** Signals that the command ignores. */
  ignored: readonly number[];
}

/** The steps as an argument: "0:10:11,7:256:256", "group,0:10:11", "ignore:17", or "-" for none. */
export function beforeExecText({ limits, group, ignored }: BeforeExec): string {
  const words = limits.map(({ resource, soft, hard }) => `${resource}:${soft}:${hard}`);
  const signals = ignored.map((signal) => `${IGNORE}:${signal}`);
  return [...(group === null ? [] : [GROUP]), ...signals, ...words].join(",") || "-";
}

export function ignoredFrom(text: string): number[] {
  return text
    .split(",")
    .flatMap((word) => (word.startsWith(`${IGNORE}:`) ? [Number(word.slice(IGNORE.length + 1))] : []));
}

export function entersGroup(text: string): boolean {
  return text.split(",").includes(GROUP);
}

export function limitsFrom(text: string): KernelLimit[] {
  const words = text.split(",").filter((word) => /^\d/.test(word));
  return words.map((entry) => {
    const [resource = "", soft = "", hard = ""] = entry.split(":");
    return { resource: Number(resource), soft: BigInt(soft), hard: BigInt(hard) };
  });
}
