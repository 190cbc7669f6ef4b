import { type Declaration, NO_POSITIONALS } from "../declaration.ts";

export const MCP = {
  name: "mcp",
  summary: "serve sessions to an AI agent over MCP, on stdin and stdout",
  usage: ["holt mcp [--tools TOOLSET]"],
  examples: [
    ["claude mcp add holt -- holt mcp", "for Claude Code"],
    ["holt mcp --tools derun", "four read-only tools: list, get, read, wait"],
  ],
  options: [
    {
      name: "tools",
      value: "TOOLSET",
      choices: ["agent", "terminal", "terminal-dotted", "derun", "all"],
      summary: "which tools to offer (below); agent without it",
    },
  ],
  positionals: NO_POSITIONALS,
  about: `Speaks the Model Context Protocol, revisions 2026-07-28 and 2025-11-25.

  agent\truns commands, waits for them, reads, drives shells and programs
  terminal\tshell_run, pty_open …: aiterm's names, and bytes in base64
  terminal-dotted\tthe same as shell.run, pty.open …, which some hosts refuse
  derun\tfour tools that only read; needs no daemon
  all\tevery method of the reference, with _ for the dot

A session belongs to the client that started it: another may read it, and acts on it only with takeover, when the person asked for that. The daemon
starts by itself, and when it dies another answers. Commands run, and relative paths begin, in the directory that this is started in.`,
} as const satisfies Declaration;
