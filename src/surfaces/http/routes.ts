/** Maps a method and a path to a route. */
import { ALIASES } from "../../protocol/methods/aliases.ts";
import { httpRoute } from "../../protocol/methods/http-route.ts";
import { nearest } from "../../protocol/methods/nearest.ts";
import { TABLE } from "../../protocol/methods/table.schema.ts";
import { API } from "../../protocol/wire/web.ts";
import { METRICS_PATH } from "./metrics-response.ts";
import { RESOURCES, type Resource } from "./resources.ts";

/** These methods send notifications later, so they need a connection that stays open. */
export const WEBSOCKET_ONLY: ReadonlySet<string> = new Set(["session.subscribe", "session.unsubscribe"]);

const CALLS: ReadonlyMap<string, string> = new Map(
  [...TABLE.keys(), ...Object.keys(ALIASES).filter((name) => name.includes("."))].map((name) => [
    httpRoute(name).replace("POST ", ""),
    name,
  ]),
);

type SinglePath = "rpc" | "mcp" | "openapi" | "session" | "health" | "metrics";

export type Route =
  | { kind: "call"; method: string }
  | { kind: "resource"; resource: Resource; path: Record<string, string> }
  | { kind: "attach" | "stream"; id: string }
  | { kind: SinglePath }
  | { kind: "wrong_method"; allowed: readonly string[] };

/** `method: null`: the handler itself checks the method. */
const SINGLE_PATHS: ReadonlyMap<string, { kind: SinglePath; method: "GET" | "POST" | null }> = new Map([
  [`${API}/rpc`, { kind: "rpc", method: "GET" }],
  [`${API}/openapi.json`, { kind: "openapi", method: "GET" }],
  [`${API}/web/session`, { kind: "session", method: "POST" }],
  ["/mcp", { kind: "mcp", method: null }],
  ["/healthz", { kind: "health", method: "GET" }],
  [METRICS_PATH, { kind: "metrics", method: null }],
]);
const ATTACH = new RegExp(`^${API}/pty/sessions/([^/]+)/attach$`);
const STREAM = new RegExp(`^${API}/sessions/([^/]+)/stream$`);

/** Null when no route has this path. */
export function routeOf(requestMethod: string, path: string): Route | null {
  const method = requestMethod === "HEAD" ? "GET" : requestMethod;
  const call = CALLS.get(path);
  if (call !== undefined && method === "POST") return { kind: "call", method: call };
  const single = SINGLE_PATHS.get(path);
  if (single !== undefined) {
    const { kind, method: own } = single;
    return own === null || own === method ? { kind } : { kind: "wrong_method", allowed: [own] };
  }
  const socket = socketRoute(path);
  if (socket !== null) return method === "GET" ? socket : { kind: "wrong_method", allowed: ["GET"] };
  const allowed: string[] = call === undefined ? [] : ["POST"];
  for (const resource of RESOURCES) {
    const found = matchPath(resource.path, path);
    if (found !== null && resource.method === method) return { kind: "resource", resource, path: found };
    if (found !== null) allowed.push(resource.method);
  }
  return allowed.length > 0 ? { kind: "wrong_method", allowed } : null;
}

/** The most similar path of a method; null when none is similar. */
export function nearestPath(path: string): string | null {
  return nearest(path, [...CALLS.keys()]);
}

function socketRoute(path: string): Route | null {
  const attach = ATTACH.exec(path);
  if (attach !== null) return { kind: "attach", id: decoded(attach[1] ?? "") };
  const stream = STREAM.exec(path);
  return stream === null ? null : { kind: "stream", id: decoded(stream[1] ?? "") };
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [segments, given] = [pattern.split("/"), path.split("/")];
  if (segments.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [at, part] of segments.entries()) {
    const value = given[at] ?? "";
    if (part.startsWith(":") && value !== "") found[part.slice(1)] = decoded(value);
    else if (part !== value) return null;
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
