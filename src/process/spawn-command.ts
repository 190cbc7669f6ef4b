import { errnoOf } from "../protocol/errors.ts";
import type { SpawnSpec } from "./transport.ts";
import { bytesOf } from "../protocol/bytes.ts";

const SHELL = bytesOf("/bin/sh");

/** An executable file without `#!` is a shell script, as execvp(3) and every shell have it. */
export function withShellFallback<T>(spec: SpawnSpec, spawn: (spec: SpawnSpec) => T): T {
  try {
    return spawn(spec);
  } catch (error) {
    if (errnoOf(error) !== "ENOEXEC") throw error;
    return spawn({ ...spec, path: SHELL, argv: [SHELL, spec.path, ...spec.argv.slice(1)] });
  }
}
