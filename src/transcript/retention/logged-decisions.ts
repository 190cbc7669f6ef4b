/**
 * Which sessions the last sweep kept, and why, as lines of `ID REASON` in log/kept. A sweep runs with nearly every start
 * and keeps nearly everything: what it decided before is no news, and would push the rest out of the log.
 *
 * Whatever goes wrong with this file, or between two sweeps at once, leads to a decision being told twice, never to one
 * that is not told: it is told first, and remembered then.
 */
import { closeSync, readFileSync } from "node:fs";
import { openDirectory, openIfThereAt, type OpenMode } from "../../platform/fs/files.ts";
import { ftruncateSync, writeSync } from "../../platform/fs/libc-fs.ts";
import type { Layout } from "../layout.ts";
import { orNull } from "../or-null.ts";

interface Decision {
  session_id: string;
  result: "kept" | "removed" | "error";
  reason: string;
}

/** Each removal and error; of what is kept only what is kept for the first time, or for a new reason. */
export function logChanges<D extends Decision>(
  layout: Layout,
  decisions: readonly D[],
  tell: (decision: D) => void,
): void {
  const before = new Set(readLines(layout));
  const kept = decisions.filter(({ result }) => result === "kept");
  const isOld = (decision: D): boolean => decision.result === "kept" && before.has(lineOf(decision));
  for (const decision of decisions) if (!isOld(decision)) tell(decision);
  if (kept.length !== before.size || !kept.every(isOld)) writeLines(layout, kept.map(lineOf));
}

function lineOf({ session_id, reason }: Decision): string {
  return `${session_id} ${reason}`;
}

function readLines(layout: Layout): string[] {
  const text = withFile(layout, "read", (fd) => readFileSync(fd, "utf8")) ?? "";
  return text.split("\n").filter((line) => line !== "");
}

function writeLines(layout: Layout, lines: readonly string[]): void {
  withFile(layout, "create", (fd) => {
    ftruncateSync(fd, 0);
    writeSync(fd, lines.map((line) => `${line}\n`).join(""));
  });
}

/** Beside the log, in a directory that is private whatever the root is. Null when that cannot be. */
function withFile<T>({ root }: Layout, mode: OpenMode, use: (fd: number) => T): T | null {
  return orNull(() => {
    const directory = openDirectory(`${root}/log`);
    if (directory === null) return null;
    try {
      const fd = openIfThereAt(directory, "kept", mode);
      if (fd === null) return null;
      try {
        return use(fd);
      } finally {
        closeSync(fd);
      }
    } finally {
      closeSync(directory);
    }
  });
}
