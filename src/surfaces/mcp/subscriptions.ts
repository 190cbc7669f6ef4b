/**
 * Handles subscribe and unsubscribe requests of the older protocol era. The newer era uses
 * `subscriptions/listen` (mcp-transport.ts).
 */
import type { McpServer } from "@modelcontextprotocol/server";

/** Receives a client's subscriptions. */
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
