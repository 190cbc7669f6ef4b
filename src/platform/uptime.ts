/** Time since the boot, suspensions included: the clock that nothing sets, together with the boot that it counts from. */
import type { Uptime } from "../protocol/session.ts";
import { CLOCK_BOOTTIME } from "./birth-time.ts";
import { libc } from "./libc.ts";
import { bootId } from "./processes.ts";

export function uptimeNow(): Uptime {
  return { boot_id: bootId(), uptime_ms: millisecondsSinceBoot() };
}

function millisecondsSinceBoot(): number {
  const time = new BigInt64Array(2);
  if (process.platform !== "linux" || libc().clock_gettime(CLOCK_BOOTTIME, time) !== 0)
    return Math.floor(process.getBuiltinModule("node:os").uptime() * 1000);
  return Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1e6);
}
