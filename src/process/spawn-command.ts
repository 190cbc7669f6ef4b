import type { KernelLimit } from "../platform/process/limits.ts";
import { onlyOpenFiles, withOpenFiles } from "../platform/process/open-files.ts";
import { isIgnoredSignal } from "../platform/process/signal-action.ts";
import { spawn, type SpawnRequest } from "../platform/process/spawn.ts";
import { bytesOf } from "../protocol/types/bytes.ts";
import { errnoOf } from "../protocol/types/errors.ts";
import { spawnLimited } from "./spawn-limited.ts";
import type { SpawnSpec } from "./transport.ts";

const SHELL = bytesOf("/bin/sh");

export type SpawnPlacement = Pick<SpawnRequest, "fds" | "place" | "justBefore">;

/** The command's pid. An executable file without `#!` is a shell script, as execvp(3) and every shell have it. */
export function spawnCommand(spec: SpawnSpec, where: SpawnPlacement): number {
  const { path, argv, env, ignored = [] } = spec;
  const openFiles = onlyOpenFiles(spec.limits);
  const isPlain = spec.limits.length === 0 || (openFiles !== null && fits(where.fds, openFiles));
  if (!isPlain || spec.group != null || !ignored.every(isIgnoredSignal)) return spawnLimited(spec, where);
  const start = (): number => {
    try {
      return spawn({ path, argv, env, ignored, ...where });
    } catch (error) {
      if (errnoOf(error) !== "ENOEXEC") throw error;
      return spawn({ path: SHELL, argv: [SHELL, path, ...argv.slice(1)], env, ignored, ...where });
    }
  };
  return openFiles === null ? start() : withOpenFiles(openFiles, start);
}

/** A child cannot be given a number that its own limit does not allow. */
function fits(fds: ReadonlyMap<number, number>, { soft }: KernelLimit): boolean {
  return fds.keys().every((fd) => BigInt(fd) < soft);
}
