/** Writes a configuration file for a test. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../support/holt.ts";

/** The bench's configuration, replaced as an editor does. Returns its path. */
export function configure(bench: Bench, text: string, name = "config.toml"): string {
  mkdirSync(join(bench.root, "config", "holt"), { recursive: true });
  const path = join(bench.root, "config", "holt", name);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}
