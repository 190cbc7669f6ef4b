/** `holt start`: starts a command in the background. */
import { dialEarly, startSession } from "../../../client/sessions/start-session.ts";
import { quickSettings } from "../../../config/quick-settings.ts";
import { losslessBytes } from "../../../platform/fs/lossless-text.ts";
import { callersOpenFiles } from "../../../platform/process/open-files.ts";
import { losslessArguments } from "../../../platform/process/raw-arguments.ts";
import { MAX_TIMER_MS, parseRetention } from "../../../protocol/types/duration.ts";
import { HoltError, isErrorCode } from "../../../protocol/types/errors.ts";
import { requireName } from "../../../protocol/types/session-name.ts";
import { requireSessionId } from "../../../protocol/types/session-id.ts";
import { DEFAULT_SIZE, type StartReply, type StartRequest } from "../../../protocol/wire/start-request.ts";
import type { Parsed } from "../../declarations/arguments.ts";
import { command, type Main } from "../../declarations/command.ts";
import { START } from "../../declarations/sessions/start.ts";
import { durationOf } from "../../options/durations.ts";
import { writeJson, writeOut } from "../../output/output.ts";
import { effectiveSetting } from "../../options/settings.ts";
import { parseSize } from "../../options/size.ts";
import { absolute, environment } from "./start-context.ts";
import { DEFAULT_DELAY_MS, DEFAULT_MAX_RESTARTS, type RestartPolicy } from "../../../protocol/types/restart.ts";

const EXIT_USAGE = 2;
const HOLT_FAILED = 125;

/**
 * Parses lossless text, which can be turned back into the original bytes: paths need not be UTF-8.
 */
export const main: Main = (args) => {
  dialled = dialEarly();
  return start([...losslessArguments(args)]);
};

let dialled: ReturnType<typeof dialEarly> = null;

const start = command(START, async (parsed) => {
  const { options } = parsed;
  const request = await requestOf(parsed);
  const warnings: HoltError[] = [];
  let reply: StartReply;
  try {
    reply = await startSession(request, { dialResult: dialled, warn: (warning) => warnings.push(warning) });
  } catch (error) {
    return refuse(error, options.json);
  }
  await reportWarnings(warnings);
  if (options.attach && "session_id" in reply)
    return (await import("./start-attached.ts")).attachToNew(reply.session_id);
  return report(reply, options.json);
});

async function requestOf({ options, positionals }: Parsed<typeof START>): Promise<StartRequest> {
  if (options.size !== null && options["no-pty"]) {
    throw new HoltError("EBADARGS", "--size and --no-pty cannot be used together", { hint: "pipes have no size" });
  }
  if (options.attach && options["no-pty"])
    throw new HoltError("EBADARGS", "--attach and --no-pty cannot be used together", {
      hint: "pipes have no terminal",
    });
  if (options.attach && options.json)
    throw new HoltError("EBADARGS", "--attach and --json cannot be used together", { hint: "--attach uses stdout" });
  // Checked before the start: the session would run without a client and its id would not be
  // printed.
  if (options.attach) (await import("./attach-to.ts")).requireTerminal();
  const size = options.size === null ? await sizeFor(options.attach) : parseSize(options.size);
  const id = options["session-id"];
  const settings = await quickSettings();
  const umask = process.umask(0o077);
  process.umask(umask);
  return {
    argv: positionals.map((word) => losslessBytes(word).toBase64()),
    env: environment(options.env, { hasTerminal: !options["no-pty"] }).map((entry) => entry.toBase64()),
    cwd: absolute(options.cwd ?? "."),
    umask,
    open_files: callersOpenFiles(),
    session_id: id === null ? null : requireSessionId(id),
    name: options.name === null ? null : requireName(options.name),
    project_id: options.project,
    retention_seconds: options.retention === null ? settings.retentionSeconds : parseRetention(options.retention),
    max_output_bytes: options["max-output-bytes"] ?? settings.maxOutputBytes,
    timeout_ms: durationOf("timeout", options.timeout),
    idle_timeout_ms: durationOf("idle-timeout", options["idle-timeout"]),
    size: options["no-pty"] ? null : size,
    max_clients: effectiveSetting("max_clients", options["max-clients"], settings.maxClients),
    slow_client: effectiveSetting("slow_client", options["slow-client"]),
    slow_client_ms: effectiveSetting(
      "slow_client_ms",
      durationOf("slow-client-after", options["slow-client-after"]),
      settings.slowClientMs,
    ),
    size_rule: options["size-rule"] ?? "smallest",
    input: options.input ?? "shared",
    restart: restartPolicy(options),
    log: settings.log,
    cgroup: settings.cgroup,
    limits: options.limit.length === 0 ? null : (await import("../../options/limits.ts")).limitsOf(options.limit),
    linger: options.linger,
    stdin: options.stdin === null ? null : await stdinFor(options.stdin, options["no-pty"]),
    shell_integration: !options["no-shell-integration"],
  };
}

/** A session that is attached at once starts with the size of this terminal. */
async function sizeFor(isAttached: boolean): Promise<{ cols: number; rows: number }> {
  return isAttached ? (await import("./start-attached.ts")).ownSize() : DEFAULT_SIZE;
}

/** Base64 of the command's stdin. */
async function stdinFor(from: string, isPiped: boolean): Promise<string> {
  if (!isPiped)
    throw new HoltError("EBADARGS", "--stdin needs --no-pty", {
      hint: "use `holt send` to type into a terminal",
    });
  return (await import("./stdin-option.ts")).readStdinOption(from);
}

/** holt itself failed; env(1), timeout(1) and docker use the same code. */
async function refuse(error: unknown, json: boolean): Promise<number> {
  const [{ reportError }, { stateError }] = await Promise.all([
    import("../../output/report-error.ts"),
    import("../../../client/state-error.ts"),
  ]);
  const known = stateError(error, "start a session", "the command was not started");
  const exit = reportError(known, { json });
  return exit === EXIT_USAGE ? exit : HOLT_FAILED;
}

async function reportWarnings(warnings: readonly HoltError[]): Promise<void> {
  if (warnings.length === 0) return;
  const { reportError } = await import("../../output/report-error.ts");
  for (const warning of warnings) reportError(warning, { json: false });
}

async function report(reply: StartReply, json: boolean): Promise<number> {
  if ("error" in reply) {
    const { code, message, hint } = reply.error;
    const error = new HoltError(isErrorCode(code) ? code : "EINTERNAL", message, hint === null ? {} : { hint });
    const { reportError } = await import("../../output/report-error.ts");
    reportError(error, { json });
    return code === "EBADARGS" || code === "EEXISTS" ? EXIT_USAGE : reply.exit_code;
  }
  if (json)
    writeJson({ session_id: reply.session_id, pid: reply.pid }, (await import("../../output/style.ts")).stdoutStyle());
  else writeOut(`${reply.session_id}\n`);
  return 0;
}

interface Options {
  restart: string | null;
  "max-restarts": number | null;
  "restart-delay": string | null;
}

/** Null: never. */
function restartPolicy(options: Options): RestartPolicy | null {
  const when = options.restart === "on-failure" ? "on_failure" : options.restart === "always" ? "always" : null;
  if (when !== null) {
    return {
      when,
      max_restarts: options["max-restarts"] ?? DEFAULT_MAX_RESTARTS[when],
      delay_ms: delayOf(options["restart-delay"]),
    };
  }
  for (const name of ["max-restarts", "restart-delay"] as const) {
    if (options[name] === null) continue;
    throw new HoltError("EBADARGS", `--${name} needs --restart`, {
      hint: "use --restart on-failure or --restart always",
    });
  }
  return null;
}

/** 0s is valid: restart immediately. */
function delayOf(text: string | null): number {
  return durationOf("restart-delay", text, { leastMs: 0, mostMs: MAX_TIMER_MS }) ?? DEFAULT_DELAY_MS;
}
