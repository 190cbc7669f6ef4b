import { readdirSync, readlinkSync } from "node:fs";

/** How many a process has open. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:");
    } catch {
      return false; // closed meanwhile, as the one that lists them
    }
  }).length;
}
