import { attend } from "../attend.ts";
import { exitStatus } from "../exit-status.ts";
import type { Handler } from "../handlers.ts";
import { launch } from "../launch.ts";
import { runRequest } from "../run-request.ts";
import { outcomeOf, usageOf } from "./exec.ts";

const NOTHING = new Uint8Array(0);
/** A holder that was killed knows no better. */
const UNKNOWN = 128;

export const shellRun: Handler<"shell.run"> = async (params, context) => {
  const { argv, cwd, env, timeout_ms, stdin, max_bytes } = params;
  const request = runRequest({
    argv,
    cwd,
    env,
    env_mode: "clean",
    stdin: { data: stdin },
    channels: [],
    timeout_ms,
    name: null,
    project_id: null,
  });
  const launched = await launch(context.household, request);
  const wanted = { maxBytes: max_bytes, encoding: "base64" as const };
  const { session, output } = await attend(context, launched, { ms: null, detached: false }, wanted);
  const { channels, next, truncated } = output;
  const { signal, timed_out, duration_ms } = outcomeOf(session);
  return {
    rc: exitStatus(session) ?? UNKNOWN,
    signal,
    stdout: (channels.get("stdout") ?? NOTHING).toBase64(),
    stderr: (channels.get("stderr") ?? NOTHING).toBase64(),
    duration_ms,
    cwd: session.cwd,
    usage: usageOf(session),
    timed_out,
    next_cursor: String(next),
    truncated,
    session_id: session.session_id,
  };
};
