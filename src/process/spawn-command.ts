/** Starts a command, directly or through the program that sets limits first (spawn-limited.ts). */
import type { KernelLimit } from "../platform/process/limits.ts";
import { soleOpenFilesLimit, withOpenFiles } from "../platform/process/open-files.ts";
import { isIgnoredSignal } from "../platform/process/signal-action.ts";
import { spawn, type SpawnRequest } from "../platform/process/spawn.ts";
import { bytesOf } from "../protocol/types/bytes.ts";
import { errnoOf } from "../protocol/types/errors.ts";
import { spawnLimited } from "./spawn-limited.ts";
import type { SpawnSpec } from "./transport.ts";

const SHELL = bytesOf("/bin/sh");

export type SpawnSetup = Pick<SpawnRequest, "fds" | "place" | "justBefore">;

/**
 * Returns the command's pid. Runs an executable without `#!` as a shell script, as execvp(3) does.
 */
export function spawnCommand(spec: SpawnSpec, setup: SpawnSetup): number {
  const { path, argv, env, ignored = [] } = spec;
  const openFiles = soleOpenFilesLimit(spec.limits);
  const isPlain = spec.limits.length === 0 || (openFiles !== null && fits(setup.fds, openFiles));
  // posix_spawn can make no signal ignored: a child only inherits those that this process ignores.
  const mustIgnoreMore = !ignored.every(isIgnoredSignal);
  if (!isPlain || spec.group != null || mustIgnoreMore) return spawnLimited(spec, setup);
  const start = (): number => {
    try {
      return spawn({ path, argv, env, ignored, ...setup });
    } catch (error) {
      if (errnoOf(error) !== "ENOEXEC") throw error;
      return spawn({ path: SHELL, argv: [SHELL, path, ...argv.slice(1)], env, ignored, ...setup });
    }
  };
  // The child inherits the limit: this process lowers its own for the duration of the spawn.
  return openFiles === null ? start() : withOpenFiles(openFiles, start);
}

/** dup2 in the child fails for numbers at or above the lowered limit. */
function fits(fds: ReadonlyMap<number, number>, { soft }: KernelLimit): boolean {
  return fds.keys().every((fd) => BigInt(fd) < soft);
}
