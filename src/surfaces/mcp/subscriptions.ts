/** Which resources a client of the older era wants to be told about. One of the newer era says so to the connection (wire.ts). */
import type { McpServer } from "@modelcontextprotocol/server";

/** Where a client's subscriptions are kept. */
export interface Subscriptions {
  add(uri: string): void;
  remove(uri: string): void;
}

export function acceptSubscriptions(server: McpServer, subscriptions: Subscriptions): void {
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    subscriptions.add(uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    subscriptions.remove(uri);
    return {};
  });
}
