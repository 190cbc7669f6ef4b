/** What a call means that comes from a host: paths begin where the server was started, and no answer takes longer than a host waits for one. */
import { resolve } from "node:path";
import type { AnyRow } from "./toolsets/row-tool.ts";

/** The SDK's client, like most hosts, gives up on a request after 60 s; and a call that is given up is canceled, with the command that it runs. */
export const MAX_CALL_MS = 50_000;

const LIMITED: Readonly<Record<string, string>> = {
  "session.wait": "timeout_ms",
  "session.exec": "timeout_ms",
  "pty.read": "timeout_ms",
  "exec.output": "wait_ms",
  "exec.run": "yield_ms",
};

/** What is said of the longest wait of a call, as it holds for one that comes from a host. */
export function describeHostLimit(description: string): string {
  return description.replace(/More than \d+ is taken as that/, `More than ${MAX_CALL_MS} is taken as that`);
}

/** What such a path is, in place of what the daemon takes it for. */
export const PATH_DESCRIPTIONS: Readonly<Record<string, string>> = {
  cwd: "The directory to run in: absolute, or relative to where you work, which it is when not given",
  path: "Absolute, or relative to where you work; below one of the directories that holt serves",
};

export interface Host {
  cwd: string | null;
  /** It hears of progress, and waits as long as there is some. */
  takesProgress: boolean;
}

type Given = Record<string, unknown>;

export function hostParams(row: AnyRow, given: Given, { cwd, takesProgress: isPatient }: Host): Given {
  return { ...given, ...resolvedPath(row, given, cwd), ...(isPatient ? {} : limitedWait(row, given)) };
}

/** Absolute, and never left to the daemon, which would take its user's home. */
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
