/** A server of the SDK's with the tools of a toolset. */
import { McpServer } from "@modelcontextprotocol/server";
import { HoltError } from "../../protocol/types/errors.ts";
import { VERSION } from "../../protocol/types/version.ts";
import { AGENT } from "./agent/agent.ts";
import { ALL } from "./toolsets/all.ts";
import { DERUN } from "./toolsets/derun.ts";
import { registerResources } from "./resources.ts";
import type { SessionUris } from "./session-uris.ts";
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

const NOBODY = { tellThrough() {} };

/** `uris`: null where nobody can be told anything later. */
export function serverFor(
  { instructions, hasResources, register }: Toolset,
  context: ToolContext,
  uris: Pick<SessionUris, "tellThrough"> | null,
): McpServer {
  const resources = { subscribe: uris !== null, listChanged: uris !== null };
  const capabilities = { tools: { listChanged: false }, ...(hasResources ? { resources } : {}) };
  const server = new McpServer({ name: "holt", version: VERSION }, { capabilities, instructions });
  register(server, context);
  if (hasResources) registerResources(server, context, uris ?? NOBODY);
  return server;
}

export function toolsetNamed(name: string): Toolset {
  const toolset = Object.hasOwn(TOOLSETS, name) ? TOOLSETS[name] : undefined;
  if (toolset !== undefined) return toolset;
  throw new HoltError("EBADARGS", `no toolset "${name}"`, { hint: `there is: ${Object.keys(TOOLSETS).join(", ")}` });
}
