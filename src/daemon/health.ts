/** What `health.info` answers. */
import type { Result } from "../protocol/table.schema.ts";
import { VERSION } from "../protocol/version.ts";
import type { Counted } from "./census.ts";
import type { Household } from "./household.ts";

const RUNTIME = `bun ${Bun.version}`;

export function healthOf(household: Household, counted: Counted): Result<"health.info"> {
  const { clients, socket, startedAt, pool } = household;
  return {
    version: VERSION,
    runtime: RUNTIME,
    pid: process.pid,
    socket,
    executable: counted.executable,
    uptime_s: Math.floor((performance.now() - startedAt) / 1000),
    sessions: counted.sessions,
    holders: counted.holders,
    warm: pool.size,
    clients,
  };
}
