/**
 * A process that sets limits and then becomes the command (spawn-limited.ts). Where a small native program can take this part it does
 * (native/leader.c).
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
const MYSELF = bytesOf("0");
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const { SIGPIPE, SIGXFSZ } = constants.signals;

/** Arguments: the limits, the path to execute, then argv. Comes back only where that cannot be executed. */
export async function main(args: string[]): Promise<number> {
  const [, path = SHELL, ...argv] = rawArguments(args);
  libc().fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
  for (const signal of [SIGPIPE, SIGXFSZ]) setDefault(signal); // the runtime ignores them
  // All is there before there is perhaps no memory left for it.
  const keep: Uint8Array[] = [];
  const env = argumentVector(inheritedEnvironment(), keep);
  const ways = [
    { file: cstring(path), words: argumentVector(argv, keep) },
    { file: cstring(SHELL), words: argumentVector([SHELL, path, ...argv.slice(1)], keep) },
  ];
  const given = args[0] ?? "-";
  if (entersGroup(given) && !enterGroup()) return refused();
  ignoredFrom(given).forEach(ignoreSignal);
  for (const { resource, soft, hard } of limitsFrom(given))
    if (libc().setrlimit(resource, BigUint64Array.of(soft, hard)) !== 0) return refused();
  for (const { file, words } of ways) {
    libc().execve(file, words, env);
    if (lastErrno() !== "ENOEXEC") break;
  }
  return refused();
}

/** Who writes is put there. */
function enterGroup(): boolean {
  const hasEntered = Number(libc().write(GROUP_FD, MYSELF, MYSELF.length)) === MYSELF.length;
  if (hasEntered) libc().close(GROUP_FD);
  return hasEntered;
}

function refused(): number {
  const errno: Record<string, number> = constants.errno;
  const record = encodeReport({ kind: "failed", errno: errno[lastErrno()] ?? 5 });
  libc().write(REPORT_FD, record, BigInt(record.length));
  return 127;
}
