import { stopAll } from "../../client/sessions/end-many.ts";
import type { Handler } from "./handlers.ts";
import { healthOf } from "../sessions/health.ts";

export const info: Handler<"health.info"> = (_params, { daemon }) => {
  const late = daemon.live.catchUp();
  return late === null ? healthOf(daemon) : late.then(() => healthOf(daemon));
};

export const shutdown: Handler<"daemon.shutdown"> = async ({ stop_sessions, grace_ms }, { daemon, call }) => {
  if (!stop_sessions) {
    daemon.shutDown();
    return { stopped: [] };
  }
  daemon.access.requireAll(call);
  daemon.pool.isClosing = true; // or a session could be started behind our back
  try {
    const stopped = await stopAll(daemon.sessions, grace_ms);
    daemon.shutDown();
    return { stopped };
  } catch (error) {
    daemon.pool.isClosing = false; // it goes on
    throw error;
  }
};
