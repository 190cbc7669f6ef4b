import type { Handler } from "./handlers.ts";

export const subscribe: Handler<"session.subscribe"> = (params, { household, listener }) =>
  household.subscriptions.add(listener, params);

export const unsubscribe: Handler<"session.unsubscribe"> = ({ subscription_id }, { household, listener }) => ({
  ended: household.subscriptions.remove(listener, subscription_id),
});
