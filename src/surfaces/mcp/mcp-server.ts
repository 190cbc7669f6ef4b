/** Makes an MCP server of the SDK with the tools of a toolset. */
import { McpServer } from "@modelcontextprotocol/server";
import { HoltError } from "../../protocol/types/errors.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { AGENT } from "./agent/agent.ts";
import { ALL } from "./toolsets/all.ts";
import { DERUN } from "./toolsets/derun.ts";
import { registerResources } from "./resources.ts";
import type { ResourceWatcher } from "./resource-watcher.ts";
import { TERMINAL, TERMINAL_DOTTED } from "./toolsets/terminal.ts";
import type { ToolContext, Toolset } from "./toolsets/toolset.ts";

export type Era = "legacy" | "modern";

const TOOLSETS: Record<string, Toolset> = {
  agent: AGENT,
  terminal: TERMINAL,
  "terminal-dotted": TERMINAL_DOTTED,
  derun: DERUN,
  all: ALL,
};

const NO_UPDATES = { setListener() {} };

/** `watcher` is null when the client cannot be notified. */
export function makeMcpServer(
  { instructions, hasResources, register }: Toolset,
  context: ToolContext,
  watcher: Pick<ResourceWatcher, "setListener"> | null,
): McpServer {
  const resources = { subscribe: watcher !== null, listChanged: watcher !== null };
  const capabilities = { tools: { listChanged: false }, ...(hasResources ? { resources } : {}) };
  const server = new McpServer({ name: "holt", version: VERSION }, { capabilities, instructions });
  register(server, context);
  if (hasResources) registerResources(server, context, watcher ?? NO_UPDATES);
  return server;
}

export function toolsetNamed(name: string): Toolset {
  const toolset = Object.hasOwn(TOOLSETS, name) ? TOOLSETS[name] : undefined;
  if (toolset !== undefined) return toolset;
  throw new HoltError("EBADARGS", `unknown toolset: "${name}"`, {
    hint: `use one of ${Object.keys(TOOLSETS).join(", ")}`,
  });
}
