/** MCP on stdin and stdout, both protocol eras, until the client goes. */
import { Readable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { LocalSessions } from "../../client/local-sessions.ts";
import { HoltError } from "../../protocol/errors.ts";
import { VERSION } from "../../protocol/version.ts";
import { boundedLines } from "./bounded-lines.ts";
import { AGENT } from "./agent/agent.ts";
import { ALL } from "./all.ts";
import { DaemonLink } from "./daemon-link.ts";
import { DERUN } from "./derun.ts";
import { endWithin, pacedStdout } from "./paced-stdout.ts";
import { registerResources } from "./resources.ts";
import { SessionUris } from "./session-uris.ts";
import { acceptSubscriptions } from "./subscriptions.ts";
import { TERMINAL, TERMINAL_DOTTED } from "./terminal.ts";
import type { ToolContext, Toolset } from "./toolset.ts";
import { answeredBeforeEnd, Wire } from "./wire.ts";

const TOOLSETS: Record<string, Toolset> = {
  agent: AGENT,
  terminal: TERMINAL,
  "terminal-dotted": TERMINAL_DOTTED,
  derun: DERUN,
  all: ALL,
};
/** A client that has stopped reading does not keep us. */
const FLUSH_MS = 1000;
/** One that has said all that it had to say is answered, if that does not take longer; what does is canceled then. */
const LAST_ANSWERS_MS = 5000;

export interface ServeOptions {
  toolset: string;
  sessions: LocalSessions;
  /** Where relative paths begin, and what is run is run; null where that is gone. */
  cwd: string | null;
  /** Ends the service; calls under way are cancelled. */
  signal: AbortSignal;
  log: (level: "info" | "warn", message: string, fields: Record<string, unknown>) => void;
}

/** Resolves when the input has ended, the output is closed or the signal has fired; false when some answers were not taken. */
export async function serveMcp({ toolset, sessions, cwd, signal, log }: ServeOptions): Promise<boolean> {
  const { instructions, failures, hasResources, aliases = {}, words, register } = toolsetNamed(toolset);
  using daemon = new DaemonLink(sessions);
  using uris = new SessionUris(sessions);
  const record = (fields: object): void => log("info", "mcp call", { ...fields });
  const context: ToolContext = { sessions, daemon, cwd, failures, words, record };
  const build = ({ era }: { era: "legacy" | "modern" }) => {
    const resources = { subscribe: true, listChanged: true };
    const capabilities = { tools: { listChanged: false }, ...(hasResources ? { resources } : {}) };
    const server = new McpServer({ name: "holt", version: VERSION }, { capabilities, instructions });
    register(server, context);
    if (hasResources) registerResources(server, context, uris);
    if (hasResources && era === "legacy") acceptSubscriptions(server, uris);
    return server;
  };
  // An error's own text may quote what the client sent: only its kind is kept.
  const onerror = (error: Error) => log("warn", "mcp message left out", { reason: error.name });
  const onTooLong = () => log("warn", "mcp message left out", { reason: "too long" });

  const output = pacedStdout();
  const received = boundedLines(process.stdin, { answersTo: output, onTooLong });
  const lastAnswers = () => wire.answered(LAST_ANSWERS_MS, signal);
  const lines = Readable.from(answeredBeforeEnd(received, lastAnswers), { highWaterMark: 1 });
  const wire = new Wire({ inner: new StdioServerTransport(lines, output), uris, aliases });
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    for (const event of ["close", "error"]) lines.on(event, end);
    output.on("error", end);
    signal.addEventListener("abort", end);
  });
  const connection = serveStdio(build, { transport: wire, onerror });
  await ended;
  await connection.close();
  process.stdin.destroy();
  return await endWithin(FLUSH_MS, output);
}

function toolsetNamed(name: string): Toolset {
  const toolset = TOOLSETS[name];
  if (toolset !== undefined) return toolset;
  throw new HoltError("EBADARGS", `no toolset "${name}"`, { hint: `there is: ${Object.keys(TOOLSETS).join(", ")}` });
}
