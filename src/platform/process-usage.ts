/** What a process uses, as the kernel tells. */
import { readProc } from "./processes.ts";

/** In which processor time is counted: a hundredth of a second on every Linux. */
export const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** Resident, in bytes; 0 where that is not known. */
export function processMemory(pid: number): number {
  const pages = Number(readProc(`/proc/${pid}/statm`)?.split(" ")[1] ?? 0);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : 0;
}
