/** Serves MCP on stdin and stdout, in both protocol eras, until the client disconnects. */
import { Readable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { LocalSessions } from "../../client/sessions/local-sessions.ts";
import { boundedLines, MAX_LINE_BYTES } from "./bounded-lines.ts";
import { DaemonLink } from "./daemon-link.ts";
import { type LongLine, lineTooLongAnswer } from "./long-line.ts";
import { Ownership } from "./ownership.ts";
import { endBefore, pacedStdout } from "./paced-stdout.ts";
import { type Era, makeMcpServer, toolsetNamed } from "./mcp-server.ts";
import { ResourceWatcher } from "./resource-watcher.ts";
import { acceptSubscriptions } from "./subscriptions.ts";
import type { ToolContext } from "./toolsets/toolset.ts";
import { answeredBeforeEnd, McpTransport } from "./mcp-transport.ts";

/** The subscriber id of the only client. */
const CLIENT = "client";
/** Time for the last answers to be read. */
const FLUSH_MS = 1000;
/** After the end of input, running calls get this long to finish; then they are canceled. */
const DRAIN_MS = 5000;

export interface ServeOptions {
  toolset: string;
  sessions: LocalSessions;
  /** Start of relative paths and default directory of commands; null when it no longer exists. */
  cwd: string | null;
  /** Ends the service; running calls are canceled. */
  signal: AbortSignal;
  log: (level: "info" | "warn", message: string, fields: Record<string, unknown>) => void;
}

/**
 * Resolves when the input ends, the output closes or the signal fires; false when some answers were
 * not read.
 */
export async function serveMcp({ toolset, sessions, cwd, signal, log }: ServeOptions): Promise<boolean> {
  const named = toolsetNamed(toolset);
  const { failureText, hasResources, aliases = {}, words } = named;
  using daemon = new DaemonLink(sessions);
  using watcher = new ResourceWatcher(sessions);
  const record = (fields: object): void => log("info", "mcp call", { ...fields });
  const context: ToolContext = {
    sessions,
    daemon,
    cwd,
    ownership: new Ownership(),
    failureText,
    words,
    correlationId: (id) => transport.correlationId(id),
    record,
  };
  const build = ({ era }: { era: Era }) => {
    const server = makeMcpServer(named, context, watcher);
    if (hasResources && era === "legacy")
      acceptSubscriptions(server, {
        add: (uri) => watcher.add(uri, CLIENT),
        remove: (uri) => watcher.remove(uri, CLIENT),
      });
    return server;
  };
  // The error's text may quote the client's input, so only its name is logged.
  const onerror = (error: Error) => log("warn", "mcp message left out", { reason: error.name });
  const onTooLong = (line: LongLine) => {
    log("warn", "mcp message left out", { reason: "too long" });
    const refusal = lineTooLongAnswer(line, MAX_LINE_BYTES);
    if (refusal !== null) transport.send(refusal).catch(onerror);
  };

  const output = pacedStdout();
  const received = boundedLines(process.stdin, { answersTo: output, onTooLong });
  const lastAnswers = () => transport.allAnswered(DRAIN_MS, signal);
  const lines = Readable.from(answeredBeforeEnd(received, lastAnswers), { highWaterMark: 1 });
  const refused = (error: object) => log("info", "mcp refused", { ...error });
  const transport = new McpTransport({ inner: new StdioServerTransport(lines, output), watcher, aliases, refused });
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    for (const event of ["close", "error"]) lines.on(event, end);
    output.on("error", end);
    signal.addEventListener("abort", end);
  });
  const connection = serveStdio(build, { transport, onerror });
  await ended;
  await connection.close();
  process.stdin.destroy();
  return await endBefore(FLUSH_MS, output);
}
