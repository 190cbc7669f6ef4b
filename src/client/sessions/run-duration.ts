/** How long a session ran, or has run so far. */
import { uptimeNow } from "../../platform/process/uptime.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";

/** The kernel counts a process's start time in hundredths of a second since boot. */
const TICK_MS = 10;

/** Null if the command never started. `now` is used if only wall clock times are known. */
export function runDurationMs(
  { state, duration_ms, process: command, started_at }: Session,
  now = Date.now(),
): number | null {
  if (duration_ms !== null) return duration_ms;
  if (started_at === null || isFinal(state)) return null;
  const { boot_id, uptime_ms } = uptimeNow();
  const began = command?.boot_id === boot_id ? command.start_time : null;
  return Math.max(0, began === null ? now - Date.parse(started_at) : uptime_ms - began * TICK_MS);
}
