/** The MCP inspector as a command: one start of it, and of `holt mcp`, for each thing that is asked. */
import { join } from "node:path";
import { collect } from "../support/holt.ts";
import { type Era, HOLT } from "./connect.ts";

const INSPECTOR = join(import.meta.dir, "../../node_modules/.bin/mcp-inspector");

export interface Inspected {
  /** The state directory of the server, and where the inspector may keep what it keeps. */
  root: string;
  home: string;
  era: Era;
  tools: string;
}

/** Its exit code for an error result, which it prints all the same. */
const IS_ERROR = 5;

/** The result, and what it complained about. */
export async function inspect(
  { root, home, era, tools }: Inspected,
  ...args: string[]
): Promise<{ result: Record<string, unknown>; err: string }> {
  const target = [...HOLT, "mcp", "--tools", tools];
  const options = ["-e", `HOLT_STATE_DIR=${root}`, "--protocol-era", era, "--format", "json", ...args];
  const env = {
    ...(process.env as Record<string, string>),
    HOME: home,
    MCP_CATALOG_PATH: join(home, "inspector.json"),
  };
  const { text, stderr, exitCode } = await collect([INSPECTOR, "--cli", ...target, ...options], {
    stdin: "",
    env,
    cwd: home,
  });
  if (exitCode !== 0 && exitCode !== IS_ERROR) throw new Error(`exit ${exitCode}: ${stderr}`);
  return { result: (JSON.parse(text) as { result: Record<string, unknown> }).result, err: stderr };
}

/** Its structured answer; an error, or a warning of the inspector's, fails. */
export async function inspectCall(
  inspected: Inspected,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const given = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${JSON.stringify(value)}`]);
  const { result, err } = await inspect(inspected, "--method", "tools/call", "--tool-name", name, ...given);
  if (err !== "" || Boolean(result["isError"])) throw new Error(`${name}: ${err} ${JSON.stringify(result)}`);
  return result["structuredContent"] as Record<string, unknown>;
}
