/** Finds the key of a request: in the Authorization header, a WebSocket subprotocol or the URL. */
import { BEARER_PROTOCOL } from "../../protocol/wire/web.ts";
import type { Route } from "./routes.ts";

export interface PresentedKey {
  secret: string;
  source: "header" | "subprotocol" | "url";
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** Checked before the upgrade, because the upgrade uses a ticket up. */
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
 * Browsers cannot set headers on a WebSocket, so they send the key as a subprotocol. Clients that
 * can do neither send it in the URL. URLs stay in histories and logs, so the owner's token is
 * refused there: only a ticket, or a token for one session.
 */
export function presentedKey(request: Request, route: Route | null, query: URLSearchParams): PresentedKey | null {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined) return { secret: bearer, source: "header" };
  const isSocket = route !== null && ["attach", "stream", "rpc"].includes(route.kind) && isUpgrade(request);
  if (!isSocket) return null;
  const named = offeredProtocols(request).find((name) => name.startsWith(BEARER_PROTOCOL));
  if (named !== undefined) return { secret: named.slice(BEARER_PROTOCOL.length), source: "subprotocol" };
  const given = query.get("token") ?? query.get("ticket");
  return given === null ? null : { secret: given, source: "url" };
}
