/** Handlers of session.subscribe and session.unsubscribe. */
import type { Handler } from "./handlers.ts";

export const subscribe: Handler<"session.subscribe"> = (params, { daemon, connection }) =>
  daemon.subscriptions.add(connection, params);

export const unsubscribe: Handler<"session.unsubscribe"> = ({ subscription_id }, { daemon, connection }) => ({
  ended: daemon.subscriptions.remove(connection, subscription_id),
});
