/** Which resources a client of the older era wants to be told about. One of the newer era says so to the connection (wire.ts). */
import type { McpServer } from "@modelcontextprotocol/server";
import type { SessionUris } from "./session-uris.ts";

const CLIENT = "client";

export function acceptSubscriptions(server: McpServer, uris: SessionUris): void {
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    uris.add(uri, CLIENT);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    uris.remove(uri, CLIENT);
    return {};
  });
}
