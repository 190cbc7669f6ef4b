/** The key that a request shows, and the way it is shown. */
import { BEARER_PROTOCOL } from "../../protocol/wire/web.ts";
import type { Route } from "./routes.ts";

export interface PresentedKey {
  secret: string;
  source: "header" | "protocol" | "address";
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** What else the upgrade needs: looked at beforehand, as a ticket is used up by then. */
export function isValidHandshake({ headers }: Request): boolean {
  return headers.get("sec-websocket-version") === "13" && /^[\w+/]{22}==$/.test(headers.get("sec-websocket-key") ?? "");
}

export function offeredProtocols(request: Request): string[] {
  const offered = request.headers.get("sec-websocket-protocol") ?? "";
  return offered
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * A browser cannot send a header with a WebSocket: its key is named among the protocols. Who can do neither has it in the address, where it opens once, or one
 * session: addresses are kept in histories and logs, and what opens everything has no place there.
 */
export function presentedKey(request: Request, route: Route | null, query: URLSearchParams): PresentedKey | null {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined) return { secret: bearer, source: "header" };
  const isSocket = route !== null && ["attach", "stream", "rpc"].includes(route.kind) && isUpgrade(request);
  if (!isSocket) return null;
  const named = offeredProtocols(request).find((name) => name.startsWith(BEARER_PROTOCOL));
  if (named !== undefined) return { secret: named.slice(BEARER_PROTOCOL.length), source: "protocol" };
  const given = query.get("token") ?? query.get("ticket");
  return given === null ? null : { secret: given, source: "address" };
}
