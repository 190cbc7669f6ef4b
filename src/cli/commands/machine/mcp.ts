/** `holt mcp`: serves MCP on stdin and stdout, and sweeps expired sessions meanwhile. */
import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { dialDaemon } from "../../../client/daemon/quick-call.ts";
import { quickSettings } from "../../../config/quick-settings.ts";
import { closeQuietly } from "../../../platform/fs/descriptors.ts";
import type { Log } from "../../../platform/log/log.ts";
import { isTerminal } from "../../../platform/tty/terminal-device.ts";
import { command } from "../../declarations/command.ts";
import { MCP } from "../../declarations/machine/mcp.ts";
import { writeErr } from "../../output/output.ts";

/** Exit code of a shell for a command that Ctrl-C ended. */
const INTERRUPTED = 130;
const TERMINAL_NOTE = `holt: waiting for an MCP client on stdin and stdout; Ctrl-C ends it
      \`claude mcp add holt -- holt mcp\` adds it to Claude Code
`;
const SWEEP_INTERVAL_MS = 10 * 60 * 1000;

export const main = command(MCP, async ({ options }) => {
  const [{ serveMcp }, local, { openLog }, { sweepMarkingExpired }] = await Promise.all([
    import("../../../surfaces/mcp/serve.ts"),
    import("../../../client/sessions/local-sessions.ts"),
    import("../../../platform/log/log.ts"),
    import("../sessions/sweep.ts"),
  ]);
  const sessions = new local.LocalSessions();
  requireSafeDaemonPath(sessions);
  const settings = await quickSettings();
  using log = openLog(sessions.layout.logFile, settings.log);

  const sweep = () => quietly(log, () => sweepMarkingExpired(sessions, log, settings));
  sweep();
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  timer.unref();

  const ending = new AbortController();
  const isOnTerminal = isTerminal(0);
  let exit = 0;
  process.once("SIGTERM", () => ending.abort());
  process.once("SIGINT", () => {
    if (isOnTerminal) exit = INTERRUPTED; // for an MCP client, SIGINT is a normal way to end the server
    ending.abort();
  });
  if (isOnTerminal) writeErr(TERMINAL_NOTE);
  const allAnswersRead = await serveMcp({
    toolset: options.tools ?? "agent",
    sessions,
    cwd: ownDirectory(),
    signal: ending.signal,
    log: (level, message, fields) => log.write(level, message, fields),
  });
  clearInterval(timer);
  // Answers that the client has not read would keep this process running.
  if (!allAnswersRead) process.exit(exit);
  return exit;
});

/**
 * Throws if another user owns or could replace the daemon's socket: at the start rather than at the
 * first call, so that the MCP host can show the error. It does not matter whether a daemon runs.
 */
function requireSafeDaemonPath({ layout }: LocalSessions): void {
  const daemon = dialDaemon(layout);
  if (typeof daemon === "number") closeQuietly(daemon);
}

/** Null if the working directory was removed. */
function ownDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** A failed sweep is logged and does not affect the server. */
function quietly(log: Log, sweep: () => unknown): void {
  try {
    sweep();
  } catch (error) {
    log.write("error", "cleanup", { error: String(error) });
  }
}
