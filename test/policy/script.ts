import { chmodSync, writeFileSync } from "node:fs";

/** What a caller would have run. */
export const CALLERS = "#!/bin/sh\necho of the caller\n";

/** Its path. */
export function script(path: string, text: string): string {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}
