/**
 * Time since boot, suspends included, with the id of the boot. This clock cannot be set, so
 * session durations are measured with it.
 */
import type { Uptime } from "../../protocol/types/session.ts";
import { CLOCK_BOOTTIME } from "./spawn-time.ts";
import { libc } from "../native/libc.ts";
import { bootId } from "./processes.ts";

/** On Darwin, CLOCK_MONOTONIC continues while the machine sleeps. */
const DARWIN_CLOCK_MONOTONIC = 6;
const CLOCK = process.platform === "darwin" ? DARWIN_CLOCK_MONOTONIC : CLOCK_BOOTTIME;
const time = new BigInt64Array(2);

export function uptimeNow(): Uptime {
  return { boot_id: bootId(), uptime_ms: Math.floor(bootTime()) };
}

/**
 * Milliseconds with fractions. performance.now() would stand still while the machine is suspended.
 */
export function bootTime(): number {
  if (libc().clock_gettime(CLOCK, time) !== 0) return process.getBuiltinModule("node:os").uptime() * 1000;
  return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
}
