/**
 * The process that sets limits and then execs the command (spawn-limited.ts), where the native
 * program (native/leader.c) cannot run.
 */
import { constants } from "node:os";
import { cstring, lastErrno, libc } from "../platform/native/libc.ts";
import { entersGroup, ignoredFrom, limitsFrom } from "../platform/process/limits.ts";
import { inheritedEnvironment, rawArguments } from "../platform/process/raw-arguments.ts";
import { ignoreSignal, setDefault } from "../platform/process/signal-action.ts";
import { argumentVector } from "../platform/process/spawn.ts";
import { bytesOf } from "../protocol/types/bytes.ts";
import { encodeReport, GROUP_FD, REPORT_FD } from "./leader/leader-protocol.ts";

const SHELL = bytesOf("/bin/sh");
const SELF = bytesOf("0");
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const { SIGPIPE, SIGXFSZ } = constants.signals;

/**
 * Arguments: the steps before exec (limits.ts), the path to execute, then argv. Returns only on
 * failure.
 */
export async function main(args: string[]): Promise<number> {
  const [, path = SHELL, ...argv] = rawArguments(args);
  libc().fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
  for (const signal of [SIGPIPE, SIGXFSZ]) setDefault(signal); // the runtime ignores them
  // Allocate everything first: a memory limit may leave no room afterwards.
  const keep: Uint8Array[] = [];
  const env = argumentVector(inheritedEnvironment(), keep);
  const attempts = [
    { file: cstring(path), words: argumentVector(argv, keep) },
    { file: cstring(SHELL), words: argumentVector([SHELL, path, ...argv.slice(1)], keep) },
  ];
  const steps = args[0] ?? "-";
  if (entersGroup(steps) && !enterGroup()) return reportFailure();
  ignoredFrom(steps).forEach(ignoreSignal);
  for (const { resource, soft, hard } of limitsFrom(steps))
    if (libc().setrlimit(resource, BigUint64Array.of(soft, hard)) !== 0) return reportFailure();
  for (const { file, words } of attempts) {
    libc().execve(file, words, env);
    if (lastErrno() !== "ENOEXEC") break;
  }
  return reportFailure();
}

/** Writing "0" to cgroup.procs moves the writer. */
function enterGroup(): boolean {
  const hasEntered = Number(libc().write(GROUP_FD, SELF, SELF.length)) === SELF.length;
  if (hasEntered) libc().close(GROUP_FD);
  return hasEntered;
}

function reportFailure(): number {
  const errno: Record<string, number> = constants.errno;
  const record = encodeReport({ kind: "failed", errno: errno[lastErrno()] ?? 5 });
  libc().write(REPORT_FD, record, BigInt(record.length));
  return 127;
}
