/** Options and help page of `holt mcp`. */
import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const MCP = {
  name: "mcp",
  summary: "serve sessions to an AI agent over MCP on stdio",
  usage: ["holt mcp [--tools TOOLSET]"],
  examples: [
    ["claude mcp add holt -- holt mcp", "add it to Claude Code"],
    ["holt mcp --tools derun", "offer four read-only tools: list, get, read, wait"],
  ],
  options: [
    {
      name: "tools",
      value: "TOOLSET",
      choices: ["agent", "terminal", "terminal-dotted", "derun", "all"],
      summary: "which tools to offer, as listed below (default agent)",
    },
  ],
  positionals: NO_POSITIONALS,
  about: `Speaks the Model Context Protocol, revisions 2026-07-28 and 2025-11-25.

# Toolsets
  agent\trun commands, wait for them, read output, drive shells and programs
  terminal\tshell_run, pty_open …: aiterm's tool names, with bytes in base64
  terminal-dotted\tthe same as shell.run, pty.open …; some hosts reject dots
  derun\tfour read-only tools; needs no daemon
  all\tevery method of the reference, with _ instead of the dot

A session belongs to the client that started it. Other clients may read it; to change it they need
\`takeover\`, which an agent uses only when its user asks. The daemon starts automatically and is
replaced when it dies. Commands and relative paths use the directory in which \`holt mcp\` was
started.`,
} as const satisfies Declaration;
