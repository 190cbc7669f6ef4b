/** `holt start`: a session of nobody's terminal. */
import { resolve } from "node:path";
import { startHolder } from "../client/start-holder.ts";
import { getSize, isTerminal } from "../platform/terminal-device.ts";
import { readlinkBytes } from "../platform/fs.ts";
import { losslessBytes, losslessText } from "../platform/lossless-text.ts";
import { inheritedEnvironment, rawArguments } from "../platform/raw-arguments.ts";
import { DEFAULT_MAX_CLIENTS } from "../protocol/attach.ts";
import { startsWith } from "../protocol/bytes.ts";
import { parseRetention } from "../protocol/duration.ts";
import { HoltError, isErrorCode } from "../protocol/errors.ts";
import { requireName } from "../protocol/session-name.ts";
import { requireSessionId } from "../protocol/session-id.ts";
import { DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_RETENTION_SECONDS } from "../protocol/session.ts";
import { DEFAULT_SIZE, type StartReply } from "../protocol/start-request.ts";
import { command, type Main } from "./command.ts";
import { START } from "./declarations/start.ts";
import { durationOf } from "./durations.ts";
import { writeJson, writeOut } from "./output.ts";
import { reportError } from "./report-error.ts";
import { restartPolicy } from "./restart-policy.ts";
import { parseSize } from "./size.ts";
import { stdoutStyle } from "./style.ts";

const EXIT_USAGE = 2;

/** Parsed as text that can be turned back into the bytes that were typed: a directory's name need not be UTF-8. */
export const main: Main = (args) => start(rawArguments(args).map(losslessText));

const start = command(START, async ({ options, positionals }) => {
  if (options.size !== null && options["no-pty"]) {
    throw new HoltError("EBADARGS", "--size and --no-pty exclude each other", { hint: "pipes have no size" });
  }
  if (options.attach && options["no-pty"])
    throw new HoltError("EBADARGS", "--attach and --no-pty exclude each other", { hint: "pipes have no terminal" });
  const size = options.size === null ? sizeFor(options.attach) : parseSize(options.size);
  const id = options["session-id"];
  const umask = process.umask(0o077);
  process.umask(umask);
  const reply = startHolder({
    argv: positionals.map((word) => losslessBytes(word).toBase64()),
    env: environment(options.env).map((entry) => entry.toBase64()),
    cwd: absolute(options.cwd ?? "."),
    umask,
    session_id: id === null ? null : requireSessionId(id),
    name: options.name === null ? null : requireName(options.name),
    project_id: options.project,
    retention_seconds: options.retention === null ? DEFAULT_RETENTION_SECONDS : parseRetention(options.retention),
    max_output_bytes: options["max-output-bytes"] ?? DEFAULT_MAX_OUTPUT_BYTES,
    timeout_ms: durationOf("timeout", options.timeout),
    idle_timeout_ms: durationOf("idle-timeout", options["idle-timeout"]),
    size: options["no-pty"] ? null : size,
    max_clients: options["max-clients"] ?? DEFAULT_MAX_CLIENTS,
    size_rule: options["size-rule"] ?? "smallest",
    input: options.input ?? "shared",
    restart: restartPolicy(options),
  });
  if (options.attach && "session_id" in reply) return attach(reply.session_id);
  return report(reply, options.json);
});

/** To be attached at once, it is as large as this terminal from the start. */
function sizeFor(isAttached: boolean): { cols: number; rows: number } {
  return isAttached && isTerminal(1) ? getSize(1) : DEFAULT_SIZE;
}

async function attach(id: string): Promise<never> {
  const [{ attachTo }, { LocalSessions }] = await Promise.all([
    import("./attach-to.ts"),
    import("../client/local-sessions.ts"),
  ]);
  const sessions = new LocalSessions();
  // What watches the terminal would keep the process for ever.
  process.exit(await attachTo(sessions, sessions.get(id), ATTACHED));
}

const ATTACHED = {
  role: "driver",
  takesPart: true,
  replay: "screen",
  replaces: false,
  takeover: false,
  detachKeys: null,
  exitCode: false,
} as const;

function report(reply: StartReply, json: boolean): number {
  if ("error" in reply) {
    const { code, message, hint } = reply.error;
    const error = new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, hint === null ? {} : { hint });
    reportError(error, { json });
    return code === "EBADARGS" || code === "EEXISTS" ? EXIT_USAGE : reply.exit_code;
  }
  if (json) writeJson(reply, stdoutStyle());
  else writeOut(`${reply.session_id}\n`);
  return 0;
}

/** The runtime puts U+FFFD for what is no UTF-8; the kernel knows better. */
function here(): string {
  const told = process.cwd();
  return told.includes("\ufffd") && process.platform === "linux" ? losslessText(readlinkBytes("/proc/self/cwd")) : told;
}

/** The runtime's resolve takes only text that is well-formed; any other is resolved by the kernel. */
function absolute(path: string): string {
  const whole = path.startsWith("/") ? path : `${here()}/${path}`;
  return whole.isWellFormed() ? resolve(whole) : whole;
}

/** The caller's own, with what was set for the command alone. */
function environment(settings: readonly string[]): Uint8Array[] {
  const last = new Map(settings.map((setting) => [keyOf(setting), setting]));
  const prefixes = [...last.keys()].map((key) => losslessBytes(`${key}=`));
  const kept = inheritedEnvironment().filter((entry) => !prefixes.some((prefix) => startsWith(entry, prefix)));
  return [...kept, ...[...last.values()].map(losslessBytes)];
}

function keyOf(setting: string): string {
  const end = setting.indexOf("=");
  if (end > 0) return setting.slice(0, end);
  throw new HoltError("EBADARGS", `invalid --env "${setting}"`, { hint: "use KEY=VALUE" });
}
