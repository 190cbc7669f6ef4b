/**
 * A child's start time without reading /proc: /proc/PID/stat blocks until the child's exec is over,
 * which is most of a short command's life. The kernel counts start times in ticks since boot, so
 * the clock is read before and after the spawn.
 */
import { libc } from "../native/libc.ts";

export const CLOCK_BOOTTIME = 7;
/** USER_HZ, the same on every architecture. */
const TICKS_A_SECOND = 100;
const NANOSECONDS_A_TICK = 1e9 / TICKS_A_SECOND;
const time = new BigInt64Array(2);

export interface SpawnedProcess {
  pid: number;
  /** As in /proc/PID/stat; null when the two readings differ, or without that clock. */
  startTime: number | null;
}

export function spawnTimed(spawn: () => number): SpawnedProcess {
  const before = ticksSinceBoot();
  const pid = spawn();
  return { pid, startTime: before === ticksSinceBoot() ? before : null };
}

/** As the kernel counts them for /proc; null without that clock. */
export function ticksSinceBoot(): number | null {
  if (process.platform !== "linux" || libc().clock_gettime(CLOCK_BOOTTIME, time) !== 0) return null;
  return Number(time[0]) * TICKS_A_SECOND + Math.floor(Number(time[1]) / NANOSECONDS_A_TICK);
}
