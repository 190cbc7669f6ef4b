/** `holt daemon`. */
import { daemonProcess } from "../../../client/daemon/end-daemon.ts";
import { ensureDaemon } from "../../../client/daemon/ensure-daemon.ts";
import { LocalSessions } from "../../../client/sessions/local-sessions.ts";
import { reachDaemon } from "../../../client/daemon/reach-daemon.ts";
import { HoltError } from "../../../protocol/types/errors.ts";
import { MAX_GRACE_MS } from "../../../protocol/wire/holder-methods.ts";
import type { Result } from "../../../protocol/methods/table.schema.ts";
import { command } from "../../declarations/command.ts";
import { DAEMON } from "../../declarations/machine/daemon.ts";
import { durationOf } from "../../options/durations.ts";
import { formatDuration, plural } from "../../output/format.ts";
import { writeJson, writeOut } from "../../output/output.ts";
import { ALIVE_MS, stopDaemon } from "./stop-daemon.ts";
import { stdoutStyle } from "../../output/style.ts";

/** LSB exit code of `status`: the program is not running. */
const NOT_RUNNING = 3;
/** LSB exit code of `status`: the state is unknown. */
const UNKNOWN = 4;

export const main = command(DAEMON, async ({ options, positionals: [action = "start"] }) => {
  const { json, foreground } = options;
  if (foreground && action !== "start")
    throw new HoltError("EBADARGS", `--foreground cannot be used with ${action}`, {
      hint: "see `holt help daemon`",
    });
  if ((options["stop-sessions"] || options.grace !== null) && action !== "stop")
    throw new HoltError("EBADARGS", `--stop-sessions and --grace cannot be used with ${action}`, {
      hint: "see `holt help daemon`",
    });
  const sessions = new LocalSessions();
  if (foreground) return serveInForeground(sessions);
  if (action === "status") return status(sessions, json);
  if (action !== "start") {
    const stopped = await stopDaemon(sessions, {
      stopSessions: options["stop-sessions"],
      graceMs: durationOf("grace", options.grace, { leastMs: 0, mostMs: MAX_GRACE_MS }),
    });
    if (action === "stop" && json) writeJson(stopped, stdoutStyle());
    if (action === "stop") return 0;
  }
  sessions.prepare();
  using client = await ensureDaemon(sessions.layout);
  if (json) writeJson(await client.call("health.info", {}), stdoutStyle());
  return 0;
});

/** Fails if a daemon runs already: a service manager would take exit code 0 for a requested end. */
async function serveInForeground({ layout }: LocalSessions): Promise<number> {
  await (await import("../../../daemon/lifecycle/main.ts")).serveHere(); // returns only if another daemon runs
  const pid = daemonProcess(layout)?.pid ?? null;
  throw new HoltError("EBUSY", `a daemon already runs in ${layout.root}${pid === null ? "" : `, pid ${pid}`}`, {
    hint: "`holt daemon stop` stops it; sessions keep running",
  });
}

async function status(sessions: LocalSessions, json: boolean): Promise<number> {
  const style = stdoutStyle();
  const health = await healthOf(sessions);
  if (health === "silent") {
    const pid = daemonProcess(sessions.layout)?.pid ?? null;
    if (json) writeJson({ running: true, answers: false, pid }, style);
    else
      writeOut(
        `the daemon${pid === null ? "" : `, pid ${pid},`} does not answer; \`holt daemon restart\` replaces it\n`,
      );
    return UNKNOWN;
  }
  if (health === null) {
    if (json) writeJson({ running: false }, style);
    else writeOut("no daemon is running\n");
    return NOT_RUNNING;
  }
  if (json) writeJson({ running: true, ...health }, style);
  else writeOut(style.tty ? words(health) : plainLines(health));
  return 0;
}

/** `socket_was_missing`: the daemon's socket had been deleted, and the daemon created it again. */
type Health = Result<"health.info"> & { socket_was_missing?: true };

/** Null if no daemon runs, or if it was killed just now. */
async function healthOf({ layout }: LocalSessions): Promise<Health | "silent" | null> {
  const reached = await reachDaemon(layout);
  if (reached.kind === "none") return null;
  if (reached.kind === "not_listening") return "silent";
  using client = reached.client;
  try {
    const health = await client.call("health.info", {}, { answerMs: ALIVE_MS });
    return reached.wasRebound ? { ...health, socket_was_missing: true } : health;
  } catch (error) {
    if (client.isClosed) return null;
    if (error instanceof HoltError && error.code === "ETIMEOUT") return "silent";
    throw error;
  }
}

function words({ pid, version, executable, uptime_s, sessions, warm, socket_was_missing }: Health): string {
  const socketNote = socket_was_missing === true ? "its socket was missing and has been created again\n" : "";
  const living = sessions.running + sessions.starting;
  const lost = sessions.lost === 0 ? "" : `, ${sessions.lost} lost`;
  return `daemon ${version}, pid ${pid}, up ${formatDuration(uptime_s * 1000)}
${plural(living, "session")} running, ${sessions.ended} ended${lost}; ${plural(warm, "holder")} ready\n${OUTDATED[executable ?? "current"]}${socketNote}`;
}

const OUTDATED = {
  current: "",
  replaced: "its executable was replaced: a new daemon takes over when its last client disconnects\n",
  removed: "its executable was removed: it exits when its last client disconnects\n",
};

function plainLines({ sessions, ...rest }: Health): string {
  const fields = { ...rest, ...sessions };
  return Object.entries(fields)
    .map(([name, value]) => `${name}\t${value}\n`)
    .join("");
}
