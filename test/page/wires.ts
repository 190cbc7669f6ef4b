/**
 * Intercepts the WebSockets between a page and its daemon: a test can read, drop and fake messages.
 */
import type { Page, WebSocketRoute } from "playwright-core";

export type Wire = WebSocketRoute;

/**
 * Every WebSocket whose address matches: messages of either side pass unless the test takes them.
 */
export async function tapped(
  page: Page,
  address: RegExp,
  {
    opened = () => {},
    said,
  }: { opened?: (wire: Wire) => void; said: (message: string | Buffer, wire: Wire) => "taken" | "passed" },
): Promise<void> {
  await page.routeWebSocket(address, (wire) => {
    const daemon = wire.connectToServer();
    wire.onMessage((message) => {
      if (said(message, wire) === "passed") daemon.send(message);
    });
    opened(wire);
  });
  await page.reload(); // those that are open already are none of these
}

/** A call on the page's RPC connection; null for any other message. */
export function callIn(message: string | Buffer): { id: number; method: string } | null {
  return typeof message === "string" ? (JSON.parse(message) as { id: number; method: string }) : null;
}

export function failing(id: number, code: string): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code: -32000, message: "it did not work", data: { code, hint: null } },
  });
}
