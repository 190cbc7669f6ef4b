import { stopAll } from "../../client/stop-all.ts";
import type { Result } from "../../protocol/table.schema.ts";
import { VERSION } from "../../protocol/version.ts";
import type { Counted } from "../census.ts";
import type { Handler } from "../handlers.ts";
import type { Household } from "../household.ts";
import { type Vouched, vouchFor } from "../vouched.ts";

const RUNTIME = `bun ${Bun.version}`;

/** Who asks whether all is well asks often. */
export const info: Handler<"health.info"> = (_params, { household, passage }) => {
  const counted = household.census.count(passage.began);
  if (counted instanceof Promise) return counted.then((late) => health(household, late, performance.now()));
  return health(household, counted, passage.began);
};

function health(
  household: Household,
  { sessions, holders, executable }: Counted,
  now: number,
): Vouched<Result<"health.info">> {
  return vouchFor({
    version: VERSION,
    runtime: RUNTIME,
    pid: process.pid,
    socket: household.socket,
    executable,
    uptime_s: Math.floor((now - household.startedAt) / 1000),
    sessions,
    holders,
    warm: household.pool.size,
    clients: household.clients,
  });
}

export const shutdown: Handler<"daemon.shutdown"> = async ({ stop_sessions, grace_ms }, { household, passage }) => {
  if (!stop_sessions) {
    household.shutDown();
    return { stopped: [] };
  }
  household.acting.requireAll(passage);
  household.isClosing = true; // or a session could be started behind our back
  try {
    const stopped = await stopAll(household.sessions, grace_ms);
    household.shutDown();
    return { stopped };
  } catch (error) {
    household.isClosing = false; // it goes on
    throw error;
  }
};
