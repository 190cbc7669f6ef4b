import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const MCP = {
  name: "mcp",
  summary: "serve sessions to an AI agent over MCP, on stdin and stdout",
  usage: ["holt mcp [--tools TOOLSET]"],
  examples: [
    ["claude mcp add holt -- holt mcp --tools derun", "for Claude Code"],
    ["holt mcp --tools derun", "four read-only tools: list, get, read, wait"],
  ],
  options: [
    {
      name: "tools",
      value: "TOOLSET",
      choices: ["agent", "derun", "all"],
      summary: "which tools to offer: derun (default)",
    },
  ],
  positionals: NO_POSITIONALS,
  about: `Speaks the Model Context Protocol, revisions 2026-07-28 and 2025-11-25. Needs no daemon and nothing running: it reads the same files
as \`holt logs\`. The tools only read; an agent cannot type into a session through them.`,
} as const satisfies Declaration;
