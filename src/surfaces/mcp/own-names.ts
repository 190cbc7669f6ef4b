import type { Toolset } from "./toolset.ts";

const NAME = "mcp-name";

/** A call, by the tool's own name for what a client knows under another. */
export function inOwnNames(
  params: Record<string, unknown>,
  aliases: NonNullable<Toolset["aliases"]>,
): Record<string, unknown> {
  const { name, arguments: given } = params;
  const alias = typeof name === "string" && Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias === undefined) return params;
  const isObject = typeof given === "object" && given !== null;
  return { ...params, ...alias(isObject ? { ...given } : {}) };
}

/** The same of an HTTP request: in the newer era a header has the name, too. */
export function requestInOwnNames(
  headers: Headers,
  body: Record<string, unknown>,
  aliases: NonNullable<Toolset["aliases"]>,
): { headers: Headers; parsedBody: Record<string, unknown> } {
  const { method, params } = body;
  if (method !== "tools/call" || typeof params !== "object" || params === null) return { headers, parsedBody: body };
  const own = inOwnNames({ ...params }, aliases);
  const ownHeaders = new Headers(headers);
  if (headers.get(NAME) === (params as { name?: unknown }).name) ownHeaders.set(NAME, String(own["name"]));
  return { headers: ownHeaders, parsedBody: { ...body, params: own } };
}
