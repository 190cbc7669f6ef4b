/** `holt start`: a session of nobody's terminal. */
import { startSession } from "../client/start-session.ts";
import { absolutePath } from "../platform/absolute-path.ts";
import { inheritedEnvironment, rawArguments } from "../platform/raw-arguments.ts";
import { bytesOf, startsWith } from "../protocol/bytes.ts";
import { parseRetention } from "../protocol/duration.ts";
import { HoltError, isErrorCode } from "../protocol/errors.ts";
import { requireName } from "../protocol/session-name.ts";
import { requireSessionId } from "../protocol/session-id.ts";
import { DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_RETENTION_SECONDS } from "../protocol/session.ts";
import { DEFAULT_SIZE, type StartReply } from "../protocol/start-request.ts";
import { command } from "./command.ts";
import { START } from "./declarations/start.ts";
import { durationOf } from "./durations.ts";
import { writeJson, writeOut } from "./output.ts";
import { parseSize } from "./size.ts";

const EXIT_USAGE = 2;

export const main = command(START, async ({ options, positionals }) => {
  if (options.size !== null && options["no-pty"]) {
    throw new HoltError("EBADARGS", "--size and --no-pty exclude each other", { hint: "pipes have no size" });
  }
  const size = options.size === null ? DEFAULT_SIZE : parseSize(options.size);
  const id = options["session-id"];
  const umask = process.umask(0o077);
  process.umask(umask);
  const reply = await startSession({
    argv: rawArguments(positionals).map((word) => word.toBase64()),
    env: environment(options.env).map((entry) => entry.toBase64()),
    cwd: absolutePath(options.cwd ?? process.cwd()),
    umask,
    session_id: id === null ? null : requireSessionId(id),
    name: options.name === null ? null : requireName(options.name),
    project_id: options.project,
    retention_seconds: options.retention === null ? DEFAULT_RETENTION_SECONDS : parseRetention(options.retention),
    max_output_bytes: options["max-output-bytes"] ?? DEFAULT_MAX_OUTPUT_BYTES,
    timeout_ms: durationOf("timeout", options.timeout),
    idle_timeout_ms: durationOf("idle-timeout", options["idle-timeout"]),
    size: options["no-pty"] ? null : size,
  });
  return report(reply, options.json);
});

async function report(reply: StartReply, json: boolean): Promise<number> {
  if ("error" in reply) {
    const { code, message, hint } = reply.error;
    const error = new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, hint === null ? {} : { hint });
    const { reportError } = await import("./report-error.ts");
    reportError(error, { json });
    return code === "EBADARGS" || code === "EEXISTS" ? EXIT_USAGE : reply.exit_code;
  }
  if (json) writeJson({ session_id: reply.session_id, pid: reply.pid }, (await import("./style.ts")).stdoutStyle());
  else writeOut(`${reply.session_id}\n`);
  return 0;
}

/** The caller's own, with what was set for the command alone. */
function environment(settings: readonly string[]): Uint8Array[] {
  const last = new Map(settings.map((setting) => [keyOf(setting), setting]));
  const prefixes = [...last.keys()].map((key) => bytesOf(`${key}=`));
  const kept = inheritedEnvironment().filter((entry) => !prefixes.some((prefix) => startsWith(entry, prefix)));
  return [...kept, ...[...last.values()].map(bytesOf)];
}

function keyOf(setting: string): string {
  const end = setting.indexOf("=");
  if (end > 0) return setting.slice(0, end);
  throw new HoltError("EBADARGS", `invalid --env "${setting}"`, { hint: "use KEY=VALUE" });
}
