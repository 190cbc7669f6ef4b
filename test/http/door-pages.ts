/** What `holt web` opens, and what opens it. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../support/holt.ts";

/** The files of a bench that lead to its page. */
export function doorPages({ state }: Bench): string[] {
  const run = join(state, "run");
  return readdirSync(run)
    .filter((name) => name.startsWith("door-"))
    .map((name) => join(run, name));
}

/** An environment in which there is a screen, and an xdg-open that does this. */
export function withOpener(root: string, script: string): Record<string, string> {
  const bin = join(root, "opener");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { BROWSER: "", DISPLAY: ":0", PATH: `${bin}:${process.env["PATH"] ?? ""}` };
}
