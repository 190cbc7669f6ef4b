/** The fields that `holt show` prints, in their order. */
import { runDurationMs } from "../../client/sessions/run-duration.ts";
import { DEFAULT_CLIENT_RULES } from "../../protocol/wire/client-rules.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { oneLine } from "../../terminal/text/one-line.ts";
import { commandLine, describeState, nameOf, stateText } from "./describe-session.ts";
import { formatBytes, formatDuration, formatTime, plural } from "./format.ts";

export type Field = readonly [name: string, value: string];

export interface FieldFormat {
  /** Rounded figures and local times for a terminal; otherwise exact figures and UTC. */
  tty: boolean;
  now: number;
  home: string | null;
}

export function sessionFields(session: Session, format: FieldFormat): Field[] {
  const time = (at: string | null): string | null => (at !== null && format.tty ? formatTime(at, format.now) : at);
  const fields: (readonly [string, string | number | null])[] = [
    ["id", session.session_id],
    ["name", nameOf(session)],
    ["state", format.tty ? stateText(session).text : describeState(session).words],
    ["reason", session.reason],
    ["error", session.error === null ? null : `${session.error.code}: ${session.error.message}`],
    ["command", commandLine(session.argv)],
    ["directory", format.tty ? fromHome(session.cwd, format.home) : session.cwd],
    ["project", session.project_id],
    ["by", session.started_by === null ? null : `${session.started_by.label}, pid ${session.started_by.pid}`],
    ["created", time(session.created_at)],
    ["started", time(session.started_at)],
    ["ended", ended(session, time(session.ended_at), format)],
    ["duration", duration(session, format)],
    ["cpu", cpu(session, format)],
    ["memory", session.usage === null ? null : bytes(session.usage.max_rss_kb * 1024, format)],
    ["transport", transport(session)],
    ["output", output(session, format)],
    ["unread", (session.input_unread ?? 0) === 0 ? null : `${bytes(session.input_unread ?? 0, format)} of input`],
    ["limit", bytes(session.max_output_bytes, format)],
    ["limits", limits(session, format)],
    ["timeout", timeouts(session, format)],
    ["sharing", clientRules(session)],
    ["kept", kept(session, format)],
    ["shared", session.shared ? "yes" : null],
    ["restart", restart(session)],
    ["previous", session.previous_session_id],
    ["next", session.next_session_id],
    ["pid", session.process?.pid ?? null],
    ["holder", session.holder.pid],
    ["socket", isFinal(session.state) ? null : session.socket],
    ["survivors", session.survivors.join(" ")],
    [
      "environment",
      format.tty ? `${plural(session.env_keys.length, "variable")}, by name in --json` : session.env_keys.join(" "),
    ],
    ["holt", session.holt_version],
  ];
  return fields.flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, oneLine(String(value))] as const],
  );
}

function fromHome(path: string, home: string | null): string {
  if (home === null || home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function bytes(count: number, { tty }: FieldFormat): string {
  return tty ? formatBytes(count) : String(count);
}

/**
 * The end of a lost holder is known only by the last change of its files; its command may have run
 * for hours longer.
 */
function ended({ reason }: Session, time: string | null, { tty }: FieldFormat): string | null {
  return time !== null && tty && reason === "holder_lost"
    ? `${time}: last sign of its holder, or when the loss was noticed`
    : time;
}

function duration(session: Session, { tty, now }: FieldFormat): string | null {
  const ms = runDurationMs(session, now);
  if (ms === null) return null;
  if (!tty) return `${ms} ms`;
  return session.reason === "holder_lost" ? `at least ${formatDuration(ms)}` : formatDuration(ms);
}

function cpu({ usage }: Session, { tty }: FieldFormat): string | null {
  if (usage === null) return null;
  if (!tty) return `${usage.cpu_ms} ms`;
  return `${formatDuration(usage.cpu_ms)} (user ${formatDuration(usage.cpu_user_ms)}, system ${formatDuration(usage.cpu_system_ms)})`;
}

function transport({ transport_mode, current_size: size, tty_attached }: Session): string {
  const where = size === null ? "" : ` ${size.cols}×${size.rows}`;
  return `${transport_mode}${where}${tty_attached ? ", on the user's terminal" : ""}`;
}

function output({ output_bytes, truncated, output_complete }: Session, format: FieldFormat): string {
  const notes = [truncated ? "truncated" : "", output_complete === false ? "not drained to the end" : ""].filter(
    Boolean,
  );
  return [bytes(output_bytes, format), ...notes].join(", ");
}

/** E.g. "on failure, at most 10 in a row; 3 so far". */
function restart({ restart: chain }: Session): string | null {
  if (chain === null) return null;
  const most = chain.max_restarts === null ? "" : `, at most ${chain.max_restarts} in a row`;
  return `${chain.when.replaceAll("_", " ")}${most}; ${chain.count} so far`;
}

/** E.g. "cpu 10 s, memory 1.0 GiB". */
function limits({ limits: most }: Session, format: FieldFormat): string | null {
  if (most === null) return null;
  const parts = [
    most.cpu_ms === null ? null : `cpu ${format.tty ? formatDuration(most.cpu_ms) : `${most.cpu_ms} ms`}`,
    most.memory_bytes === null ? null : `memory ${bytes(most.memory_bytes, format)}`,
    most.files === null ? null : `files ${most.files}`,
    most.processes === null ? null : `processes ${most.processes}`,
    most.file_size_bytes === null ? null : `file size ${bytes(most.file_size_bytes, format)}`,
    most.session_memory_bytes === null ? null : `session memory ${bytes(most.session_memory_bytes, format)}`,
    most.session_processes === null ? null : `session processes ${most.session_processes}`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

/** E.g. "after 10 min, after 30 s idle". */
function timeouts({ timeout_ms, idle_timeout_ms }: Session, { tty }: FieldFormat): string {
  const after = (ms: number): string => `after ${tty ? formatDuration(ms) : `${ms} ms`}`;
  const parts = [
    timeout_ms === null ? null : after(timeout_ms),
    idle_timeout_ms === null ? null : `${after(idle_timeout_ms)} idle`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

/** The rules that differ from the default, e.g. "input lease, size latest, at most 2 clients". */
function clientRules({ client_rules: rules }: Session): string | null {
  if (rules === null) return null;
  const parts = [
    rules.input === DEFAULT_CLIENT_RULES.input ? null : `input ${rules.input}`,
    rules.size_rule === DEFAULT_CLIENT_RULES.size_rule ? null : `size ${rules.size_rule}`,
    rules.max_clients === DEFAULT_CLIENT_RULES.max_clients ? null : `at most ${plural(rules.max_clients, "client")}`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

/** Until when the session is kept; while it runs, for how long after its end. */
function kept({ ended_at, retention_seconds }: Session, { tty, now }: FieldFormat): string {
  const ms = retention_seconds * 1000;
  if (ended_at === null) return tty ? `${formatDuration(ms)} after its end` : `${retention_seconds} s after its end`;
  const until = new Date(Date.parse(ended_at) + ms).toISOString();
  return tty ? `until ${formatTime(until, now)}` : `until ${until}`;
}
