import { stopAll } from "../../client/sessions/end-many.ts";
import type { Handler } from "./handlers.ts";
import { healthOf } from "../sessions/health.ts";

export const info: Handler<"health.info"> = (_params, { household }) => {
  const late = household.live.catchUp();
  return late === null ? healthOf(household) : late.then(() => healthOf(household));
};

export const shutdown: Handler<"daemon.shutdown"> = async ({ stop_sessions, grace_ms }, { household, passage }) => {
  if (!stop_sessions) {
    household.shutDown();
    return { stopped: [] };
  }
  household.acting.requireAll(passage);
  household.pool.isClosing = true; // or a session could be started behind our back
  try {
    const stopped = await stopAll(household.sessions, grace_ms);
    household.shutDown();
    return { stopped };
  } catch (error) {
    household.pool.isClosing = false; // it goes on
    throw error;
  }
};
