/** A command's own limits in the kernel's words, and in those of the two programs that set them (leader-program.ts, process/limited.ts). */
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

/** Limits that a command gets beside those it inherits: the requested ones, and the caller's soft limit on open files (open-files.ts). */
export function commandLimits(asked: Limits | null, openFiles?: number): KernelLimit[] {
  if (asked === null) return openFilesLimit(openFiles);
  return [...(asked.files === null ? openFilesLimit(openFiles) : []), ...kernelLimits(asked)];
}

/** A limit says "at most": where whoever asks has a lower one already, that one holds. */
function kernelLimits(limits: Limits): KernelLimit[] {
  const { cpu_ms, memory_bytes, files, processes, file_size_bytes } = limits;
  const seconds = cpu_ms === null ? null : Math.ceil(cpu_ms / 1000);
  return [
    // At the first SIGXCPU, which tells what it was; a second later SIGKILL for what does not mind.
    ...limit(RLIMIT.cpu, seconds, 1),
    ...limit(RLIMIT.fileSize, file_size_bytes),
    ...limit(RLIMIT.processes, processes),
    ...limit(RLIMIT.files, files),
    ...limit(RLIMIT.memory, memory_bytes), // the last: whoever sets it needs some more itself
  ];
}

function limit(resource: number, most: number | null, beyond = 0): KernelLimit[] {
  if (most === null) return [];
  const now = new BigUint64Array(2);
  libc().getrlimit(resource, now);
  const hard = lesser(BigInt(most + beyond), now[1] ?? 0n);
  return [{ resource, soft: lesser(BigInt(most), hard), hard }];
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** Says that there is a group to enter. */
const GROUP = "group";
const IGNORE = "ignore";

/** The steps of the small program, or of this executable in its place, before it becomes the command. */
export interface BeforeExec {
  limits: readonly KernelLimit[];
  /** As it is numbered there: the cgroup.procs of the group that the command is to be in; null: in ours. */
  group: number | null;
  /** Signals that the command ignores. */
  ignored: readonly number[];
}

/** As an argument: "0:10:11,7:256:256", "group,0:10:11", "ignore:17", or "-" where there is nothing to do. */
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
