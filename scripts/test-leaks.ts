// What a test file left behind: processes that carry its mark in their environment, and files in its TMPDIR.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

const GRACE_MS = 3000;

/** Gives processes with this HOLT_TEST_RUN a moment to end, then ends and names those that did not. */
export async function endLeftProcesses(mark: string): Promise<string[]> {
  const deadline = performance.now() + GRACE_MS;
  let left = processesWith(mark);
  while (left.length > 0 && performance.now() < deadline) {
    await Bun.sleep(50);
    left = processesWith(mark);
  }
  const names = left.map((pid) => `${pid} ${commandLine(pid)}`);
  // A tree may start another process while it dies: until none is left, or none will go.
  for (let round = 0; left.length > 0 && round < 20; round++) {
    left.forEach(kill);
    await Bun.sleep(20);
    left = processesWith(mark);
  }
  return names;
}

function processesWith(mark: string): number[] {
  if (!existsSync("/proc/self/environ")) return []; // not Linux: not looked for
  const entry = `HOLT_TEST_RUN=${mark}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOrEmpty(`/proc/${pid}/environ`).includes(entry))
    .map(Number);
}

const commandLine = (pid: number) => readOrEmpty(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // ended, or someone else's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Ended by itself meanwhile.
  }
}

/** Paths left below a directory, the first few of them. tmux never removes its sockets. */
export function leftFiles(directory: string, most = 10): string[] {
  const all = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
    (path) => !/^tmux-\d+(\/|$)/.test(path),
  );
  const parents = new Set(all.map((path) => dirname(path)));
  const left = all.filter((path) => !parents.has(path));
  return left.length <= most ? left : [...left.slice(0, most), `and ${left.length - most} more`];
}
