/**
 * `holt run`: checks the options, then becomes the session's holder, which exits as the command
 * does.
 */
import { quickSettings } from "../../../config/quick-settings.ts";
import { runInForeground, SpawnFailure } from "../../../holder/start/foreground.ts";
import { parseRetention } from "../../../protocol/types/duration.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { requireName } from "../../../protocol/types/session-name.ts";
import { type Parsed, parseArguments } from "../../declarations/arguments.ts";
import { RUN } from "../../declarations/sessions/run.ts";
import { durationOf } from "../../options/durations.ts";

/** holt itself failed; env(1), timeout(1) and docker use the same code. */
const HOLT_FAILED = 125;
const EXIT_USAGE = 2;

export async function main(args: string[]): Promise<number> {
  try {
    const parsed = parseArguments(RUN, args);
    if (!parsed.help) return await run(parsed);
    const { showCommandPage } = await import("../../declarations/command-page.ts");
    return showCommandPage(RUN);
  } catch (error) {
    const [{ reportError }, { stateError }] = await Promise.all([
      import("../../output/report-error.ts"),
      import("../../../client/state-error.ts"),
    ]);
    // A system error before the command starts comes from writing the session's record.
    reportError(stateError(error, "record a session", "the command was not started"), { json: false });
    // Exits explicitly: open sockets and watchers of the holder would keep the process running.
    process.exit(exitCodeFor(error));
  }
}

function exitCodeFor(error: unknown): number {
  if (error instanceof SpawnFailure) return error.exitCode;
  const refused = error instanceof HoltError && (error.code === "EBADARGS" || error.code === "EEXISTS");
  return refused ? EXIT_USAGE : HOLT_FAILED;
}

async function run({ options, positionals }: Parsed<typeof RUN>): Promise<never> {
  const settings = await quickSettings();
  const retentionSeconds = options.retention === null ? settings.retentionSeconds : parseRetention(options.retention);
  const timeoutMs = durationOf("timeout", options.timeout);
  const idleTimeoutMs = durationOf("idle-timeout", options["idle-timeout"]);
  const name = options.name === null ? null : requireName(options.name);
  return runInForeground({
    command: positionals,
    sessionId: options["session-id"],
    name,
    projectId: options.project,
    retentionSeconds,
    maxOutputBytes: options["max-output-bytes"] ?? settings.maxOutputBytes,
    shared: options.share,
    timeoutMs,
    idleTimeoutMs,
    log: settings.log,
    cgroup: settings.cgroup,
    limits: options.limit.length === 0 ? null : (await import("../../options/limits.ts")).limitsOf(options.limit),
  });
}
