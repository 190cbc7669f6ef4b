/** A command that has our terminal before it runs, as a shell's has. */
import { libc } from "../platform/libc.ts";
import { errnoOf } from "../protocol/errors.ts";
import { spawnCommand } from "./spawn-command.ts";
import type { SpawnSpec } from "./transport.ts";

const TERMINAL = 0;
/** What tcsetpgrp(3) may say. */
const NOT_GIVEN = new Set(["EINVAL", "EIO", "ENOSYS", "ENOTTY", "EPERM"]);

/** A terminal that cannot be given away is no reason not to run. SIGTTOU is ignored. */
export function startInFront(spec: SpawnSpec, fds: ReadonlyMap<number, number>): number {
  try {
    return spawnCommand(spec, { fds, place: "in_front" });
  } catch (error) {
    if (!NOT_GIVEN.has(errnoOf(error) ?? "")) throw error;
    // execve(2) may say so as well: then a group has the terminal of which nothing is left.
    libc().tcsetpgrp(TERMINAL, libc().getpgrp());
    return spawnCommand(spec, { fds, place: "own_group" });
  }
}
