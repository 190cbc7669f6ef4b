import type { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { dialDaemon } from "../../../client/daemon/quick-call.ts";
import { quickSettings } from "../../../config/quick-settings.ts";
import { closeQuietly } from "../../../platform/fs/descriptors.ts";
import type { Log } from "../../../platform/log/log.ts";
import { isTerminal } from "../../../platform/tty/terminal-device.ts";
import { command } from "../../declarations/command.ts";
import { MCP } from "../../declarations/machine/mcp.ts";
import { writeErr } from "../../output/output.ts";

/** What a shell shows for a command ended by Ctrl-C. */
const INTERRUPTED = 130;
const WAITING = `holt: this speaks MCP on stdin and stdout, and waits for a client
      \`claude mcp add holt -- holt mcp\` lets Claude Code start it; Ctrl-C ends it
`;
const SWEEP_INTERVAL_MS = 10 * 60 * 1000;

export const main = command(MCP, async ({ options }) => {
  const [{ serveMcp }, local, { openLog }, { sweepByMarks }] = await Promise.all([
    import("../../../surfaces/mcp/serve.ts"),
    import("../../../client/sessions/local-sessions.ts"),
    import("../../../platform/log/log.ts"),
    import("../sessions/sweep.ts"),
  ]);
  const sessions = new local.LocalSessions();
  requireOwnDaemon(sessions);
  const settings = await quickSettings();
  using log = openLog(sessions.layout.logFile, settings.log);

  const sweep = () => quietly(log, () => sweepByMarks(sessions, log, settings));
  sweep();
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  timer.unref();

  const ending = new AbortController();
  const byHand = isTerminal(0);
  let exit = 0;
  process.once("SIGTERM", () => ending.abort());
  process.once("SIGINT", () => {
    if (byHand) exit = INTERRUPTED; // a client's way to end us is no failure
    ending.abort();
  });
  if (byHand) writeErr(WAITING);
  const allTaken = await serveMcp({
    toolset: options.tools ?? "agent",
    sessions,
    cwd: ownDirectory(),
    signal: ending.signal,
    log: (level, message, fields) => log.write(level, message, fields),
  });
  clearInterval(timer);
  // What nobody reads would keep this process for ever.
  if (!allTaken) process.exit(exit);
  return exit;
});

/** The first call would find it too; a host shows sooner why a server did not start. */
function requireOwnDaemon({ layout }: LocalSessions): void {
  const daemon = dialDaemon(layout);
  if (typeof daemon === "number") closeQuietly(daemon);
}

/** Null where it was removed. */
function ownDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** Retention is a service on the side: what goes wrong in it is for the log. */
function quietly(log: Log, sweep: () => unknown): void {
  try {
    sweep();
  } catch (error) {
    log.write("error", "cleanup", { error: String(error) });
  }
}
