/**
 * Adapts a call's parameters to the MCP host: relative paths start at the server's directory, and
 * waits stay below the host's timeout.
 */
import { resolve } from "node:path";
import type { AnyRow } from "./toolsets/row-tool.ts";

/**
 * The SDK's client, like most hosts, cancels a request after 60 s, and with it the command that it
 * runs.
 */
export const MAX_CALL_MS = 50_000;

const LIMITED: Readonly<Record<string, string>> = {
  "session.wait": "timeout_ms",
  "session.exec": "timeout_ms",
  "pty.read": "timeout_ms",
  "exec.output": "wait_ms",
  "exec.run": "yield_ms",
};

/** Replaces the longest wait in a description by the limit for hosts. */
export function describeHostLimit(description: string): string {
  return description.replace(/More than \d+ is taken as that/, `More than ${MAX_CALL_MS} is taken as that`);
}

/** Descriptions of path parameters that replace those of the daemon. */
export const PATH_DESCRIPTIONS: Readonly<Record<string, string>> = {
  cwd: "The directory to run in: absolute or relative to your working directory, which is the default",
  path: "Absolute or relative to your working directory; must be below a directory that holt serves",
};

export interface Host {
  cwd: string | null;
  /** The host receives progress notifications, and waits as long as they arrive. */
  takesProgress: boolean;
}

type Given = Record<string, unknown>;

export function hostParams(row: AnyRow, given: Given, { cwd, takesProgress: isPatient }: Host): Given {
  return { ...given, ...resolvedPath(row, given, cwd), ...(isPatient ? {} : limitedWait(row, given)) };
}

/** Makes the path absolute. The daemon would resolve it against the user's home. */
function resolvedPath({ params: { shape } }: AnyRow, given: Given, cwd: string | null): object {
  if (cwd === null) return {};
  const name = "cwd" in shape ? "cwd" : "path" in shape ? "path" : null;
  if (name === null) return {};
  const path = given[name] ?? (name === "cwd" ? "." : undefined);
  return typeof path === "string" && path !== "" && !path.includes("\0") ? { [name]: resolve(cwd, path) } : {};
}

function limitedWait({ name }: AnyRow, given: Given): object {
  const field = LIMITED[name];
  const ms = field === undefined ? undefined : given[field];
  return field !== undefined && typeof ms === "number" && ms > MAX_CALL_MS ? { [field]: MAX_CALL_MS } : {};
}
