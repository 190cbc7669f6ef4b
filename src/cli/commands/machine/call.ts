/** `holt call`. */
import type { DaemonClient } from "../../../client/daemon/daemon-client.ts";
import { ensureDaemon } from "../../../client/daemon/ensure-daemon.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { reachDaemon } from "../../../client/daemon/reach-daemon.ts";
import { readToEnd } from "../../../platform/fs/libc-fs.ts";
import { textOf } from "../../../protocol/types/bytes.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import type { Method } from "../../../protocol/methods/table.schema.ts";
import { isUnsafePathError, UNSAFE_EXIT } from "../../../protocol/wire/unsafe-path.ts";
import { command } from "../../declarations/command.ts";
import { CALL } from "../../declarations/machine/call.ts";
import { writeJson } from "../../output/output.ts";
import { EXIT_FAILURE } from "../../output/report-error.ts";
import { stdoutStyle } from "../../output/style.ts";

const STDIN = 0;

export const main = command(CALL, async ({ positionals: [method = "", given = "{}"] }) => {
  const params = paramsIn(given === "-" ? textOf(readToEnd(STDIN)) : given);
  const style = stdoutStyle();
  try {
    using client = await daemonForCall();
    // The daemon checks the method and its parameters: a newer one may have methods unknown here.
    writeJson(await client.call(method as Method, params), style);
    return 0;
  } catch (error) {
    if (!(error instanceof HoltError)) throw error;
    const { code, message, details, hint } = error;
    writeJson({ error: { code, message, details, hint } }, style);
    return isUnsafePathError(error) ? UNSAFE_EXIT : EXIT_FAILURE;
  }
});

/** Connects to the running daemon or starts one. */
export async function daemonForCall(): Promise<DaemonClient> {
  const sessions = new LocalSessions();
  const mayStart = (process.env["HOLT_NO_DAEMON"] ?? "") === "";
  if (mayStart) {
    sessions.prepare();
    return ensureDaemon(sessions.layout);
  }
  const reached = await reachDaemon(sessions.layout);
  if (reached.kind === "reached") return reached.client;
  throw new HoltError("EIO", "no daemon runs, and HOLT_NO_DAEMON is set", {
    hint: "unset it, or start the daemon with `holt daemon`",
  });
}

function paramsIn(text: string): object {
  let params: unknown;
  try {
    params = JSON.parse(text);
  } catch (error) {
    throw invalidParams(text, error instanceof Error ? error.message : "not JSON");
  }
  if (typeof params === "object" && params !== null && !Array.isArray(params)) return params;
  throw invalidParams(text, "not a JSON object");
}

function invalidParams(text: string, why: string): HoltError {
  return new HoltError("EBADARGS", `invalid parameters: ${JSON.stringify(text.slice(0, 80))}: ${why}`, {
    hint: `e.g. holt call session.get '{"session_id":"k3f9q2"}'`,
  });
}
