import { errnoOf } from "../protocol/errors.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { spawn, type SpawnRequest } from "../platform/spawn.ts";
import { spawnLimited } from "./spawn-limited.ts";
import type { SpawnSpec } from "./transport.ts";

const SHELL = bytesOf("/bin/sh");

export type SpawnPlace = Pick<SpawnRequest, "fds" | "place" | "justBefore">;

/** The command's pid. An executable file without `#!` is a shell script, as execvp(3) and every shell have it. */
export function spawnCommand(spec: SpawnSpec, where: SpawnPlace): number {
  if (spec.limits.length > 0 || spec.group != null) return spawnLimited(spec, where);
  const { path, argv, env } = spec;
  try {
    return spawn({ path, argv, env, ...where });
  } catch (error) {
    if (errnoOf(error) !== "ENOEXEC") throw error;
    return spawn({ path: SHELL, argv: [SHELL, path, ...argv.slice(1)], env, ...where });
  }
}
