/** Handler of shell.run: runs a command line to its end and returns all output. */
import { awaitCommand } from "../sessions/await-command.ts";
import { exitStatus } from "../calls/exit-status.ts";
import type { Handler } from "./handlers.ts";
import { startRequestFrom } from "../sessions/start-request-from.ts";
import { outcomeOf, usageOf } from "./exec.ts";

const NO_BYTES = new Uint8Array(0);
/** The exit status is unknown if the holder was killed. */
const UNKNOWN_STATUS = 128;

export const shellRun: Handler<"shell.run"> = async (params, context) => {
  const { pool, settings } = context.daemon;
  const stdin = { data: params.stdin };
  const started = await pool.start(startRequestFrom({ ...params, stdin, env_mode: "clean", pty: false }, settings));
  const capture = { maxBytes: params.max_bytes, encoding: "base64" as const };
  const { session, output } = await awaitCommand(context, started, { ms: null, detached: false }, capture);
  const { channels, next, truncated } = output;
  const { signal, timed_out, duration_ms } = outcomeOf(session);
  return {
    rc: exitStatus(session) ?? UNKNOWN_STATUS,
    signal,
    stdout: (channels.get("stdout") ?? NO_BYTES).toBase64(),
    stderr: (channels.get("stderr") ?? NO_BYTES).toBase64(),
    duration_ms,
    cwd: session.cwd,
    usage: usageOf(session),
    timed_out,
    next_cursor: String(next),
    truncated,
    session_id: session.session_id,
  };
};
