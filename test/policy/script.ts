import { chmodSync, writeFileSync } from "node:fs";

/** Writes a script that a caller might run. */
export const CALLERS = "#!/bin/sh\necho of the caller\n";

/** Returns its path. */
export function script(path: string, text: string): string {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
