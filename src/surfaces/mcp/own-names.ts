import type { Toolset } from "./toolset.ts";

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
