import { readFileSync } from "node:fs";
import { processStatus } from "../../src/platform/process/processes.ts";

/** A zombie is not: who reaps it, and when, is not our business. */
export function isAlive(pid: number): boolean {
  return (processStatus(pid)?.state ?? "Z") !== "Z";
}

/** What is the process's own, in KiB: pages that it shares with other holts are not counted. */
export function privateMemory(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  return [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0);
}
