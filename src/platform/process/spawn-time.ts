/**
 * When a child was made, without asking the kernel for it: of a child that is just being executed /proc/PID/stat is told only when that is over, which
 * is most of a short command's life. The kernel counts in hundredths of a second since the boot, and so do we, before and after.
 */
import { libc } from "../native/libc.ts";

export const CLOCK_BOOTTIME = 7;
/** USER_HZ, the same on every architecture. */
const TICKS_A_SECOND = 100;
const NANOSECONDS_A_TICK = 1e9 / TICKS_A_SECOND;
const time = new BigInt64Array(2);

export interface SpawnedProcess {
  pid: number;
  /** As in /proc/PID/stat; null where the two looks differ, or there is no such clock. */
  startTime: number | null;
}

export function spawnTimed(make: () => number): SpawnedProcess {
  const before = ticksSinceBoot();
  const pid = make();
  return { pid, startTime: before === ticksSinceBoot() ? before : null };
}

/** As the kernel counts them for /proc; null where there is no such clock. */
export function ticksSinceBoot(): number | null {
  if (process.platform !== "linux" || libc().clock_gettime(CLOCK_BOOTTIME, time) !== 0) return null;
  return Number(time[0]) * TICKS_A_SECOND + Math.floor(Number(time[1]) / NANOSECONDS_A_TICK);
}
