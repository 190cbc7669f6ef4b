/**
 * Which resources a client wants to be told about. In the older era it says so to the server; in the newer one to the connection, which passes on what
 * it asked for and tells the server nothing: there its requests are read as they come in.
 */
import type { McpServer } from "@modelcontextprotocol/server";
import type { SessionUris } from "./session-uris.ts";

const LISTEN = "subscriptions/listen";

interface Listening {
  method?: unknown;
  params?: { notifications?: { resourceSubscriptions?: unknown } };
}

export function acceptSubscriptions(server: McpServer, uris: SessionUris): void {
  server.server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    uris.add(uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    uris.remove(uri);
    return {};
  });
}

/** The lines as they are; those that ask for resources are noted. */
export async function* noted(lines: AsyncIterable<Buffer>, uris: SessionUris): AsyncGenerator<Buffer, void> {
  for await (const line of lines) {
    if (line.includes(LISTEN)) for (const uri of wantedIn(line)) uris.add(uri);
    yield line;
  }
}

function wantedIn(line: Buffer): string[] {
  try {
    const { method, params } = JSON.parse(line.toString()) as Listening;
    const uris = method === LISTEN ? params?.notifications?.resourceSubscriptions : null;
    return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
  } catch {
    return []; // the server says so
  }
}
