/**
 * log/kept: the sessions that the last sweep kept, as lines of `ID REASON`. Sweeps run with nearly
 * every start and keep nearly everything; logging only changes keeps the log readable.
 *
 * A damaged file, or two sweeps at once, can log a decision twice but never lose one: a decision is
 * logged first and recorded afterwards.
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

/** Logs each removal and error, and sessions kept for the first time or for a new reason. */
export function logChanges<D extends Decision>(
  layout: Layout,
  decisions: readonly D[],
  log: (decision: D) => void,
): void {
  const before = new Set(readLines(layout));
  const kept = decisions.filter(({ result }) => result === "kept");
  const isOld = (decision: D): boolean => decision.result === "kept" && before.has(lineOf(decision));
  for (const decision of decisions) if (!isOld(decision)) log(decision);
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

/** Opens the file in log/, which is private for any root. Null on failure. */
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
