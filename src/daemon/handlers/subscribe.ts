/** Handlers of session.subscribe and session.unsubscribe. */
import type { Handler } from "./handlers.ts";

export const subscribe: Handler<"session.subscribe"> = (params, { daemon, listener }) =>
  daemon.subscriptions.add(listener, params);

export const unsubscribe: Handler<"session.unsubscribe"> = ({ subscription_id }, { daemon, listener }) => ({
  ended: daemon.subscriptions.remove(listener, subscription_id),
});
