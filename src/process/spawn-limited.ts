/**
 * Starts a command with its own limits, control group or ignored signals. posix_spawn cannot set
 * these, and the holder could not undo them for itself. So a small program sets them and then execs
 * the command. It reports a failure on a pipe that execve closes.
 */
import { errnoName } from "../platform/native/constants.ts";
import { closeQuietly, descriptorLimit, privatePipe } from "../platform/fs/descriptors.ts";
import { readSync } from "../platform/fs/libc-fs.ts";
import { openLeaderProgram } from "../platform/native/leader-program.ts";
import { SystemError } from "../platform/native/libc.ts";
import { beforeExecText } from "../platform/process/limits.ts";
import { ownCommand } from "../platform/process/own-command.ts";
import { spawn } from "../platform/process/spawn.ts";
import { waitFor } from "../platform/process/wait.ts";
import { bytesOf } from "../protocol/types/bytes.ts";
import { decodeReport, GROUP_FD, REPORT_BYTES, REPORT_FD } from "./leader/leader-protocol.ts";
import type { SpawnSetup } from "./spawn-command.ts";
import type { SpawnSpec } from "./transport.ts";

export const LIMITED_COMMAND = "__limited";

export function spawnLimited(spec: SpawnSpec, setup: SpawnSetup): number {
  if (descriptorLimit() <= GROUP_FD) throw new SystemError("dup2", "EMFILE");
  const { readEnd, writeEnd } = privatePipe();
  let pid: number;
  try {
    const fds = new Map([...setup.fds, [REPORT_FD, writeEnd]]);
    if (spec.group != null) fds.set(GROUP_FD, spec.group);
    pid = spawnProgram(spec, (program) => spawn({ ...program, ...setup, env: spec.env, fds }));
  } catch (error) {
    closeQuietly(readEnd);
    throw error;
  } finally {
    closeQuietly(writeEnd);
  }
  const failure = readFailure(readEnd);
  closeQuietly(readEnd);
  if (failure === null) return pid;
  waitFor(pid, { block: true, stops: false });
  throw new SystemError("execve", errnoName(failure));
}

/** Waits for exec or a report. Null when the program has become the command; else the errno. */
function readFailure(fd: number): number | null {
  const record = new Uint8Array(REPORT_BYTES);
  if (readSync(fd, record) < REPORT_BYTES) return null;
  const report = decodeReport(record);
  return report.kind === "failed" ? report.errno : null;
}

/** Starts the native program where possible, else this executable in its place (limited.ts). */
function spawnProgram(
  { path, argv, limits, ignored = [], group = null }: SpawnSpec,
  start: (program: { path: Uint8Array; argv: Uint8Array[] }) => number,
): number {
  const before = beforeExecText({ limits, ignored, group: group === null ? null : GROUP_FD });
  const programFd = openLeaderProgram();
  if (programFd !== null) {
    try {
      const words = ["holt-limited", "limited", before].map(bytesOf);
      return start({ path: bytesOf(`/proc/self/fd/${programFd}`), argv: [...words, path, ...argv] });
    } catch {
      // A hardened system refuses to execute a memfd.
    } finally {
      closeQuietly(programFd);
    }
  }
  const ours = [...ownCommand(), LIMITED_COMMAND, before].map(bytesOf);
  return start({ path: ours[0] ?? new Uint8Array(0), argv: [...ours, path, ...argv] });
}
