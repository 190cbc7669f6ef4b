/** Everything about a session, in the order in which one asks: what, where, how it went, what it used, how long it stays. */
import { runDurationMs } from "../../client/sessions/run-duration.ts";
import { DEFAULT_CLIENT_RULES } from "../../protocol/wire/client-rules.ts";
import { isFinal, type Session } from "../../protocol/types/session.ts";
import { oneLine } from "../../terminal/text/one-line.ts";
import { commandLine, describeState, nameOf, stateText } from "./describe-session.ts";
import { formatBytes, formatDuration, formatTime, plural } from "./format.ts";

export type Field = readonly [name: string, value: string];

export interface Reader {
  /** A person: rounded figures and local times; otherwise exact ones. */
  tty: boolean;
  now: number;
  home: string | null;
}

export function sessionFields(session: Session, reader: Reader): Field[] {
  const time = (at: string | null): string | null => (at !== null && reader.tty ? formatTime(at, reader.now) : at);
  const fields: (readonly [string, string | number | null])[] = [
    ["id", session.session_id],
    ["name", nameOf(session)],
    ["state", reader.tty ? stateText(session).text : describeState(session).words],
    ["reason", session.reason],
    ["error", session.error === null ? null : `${session.error.code}: ${session.error.message}`],
    ["command", commandLine(session.argv)],
    ["directory", reader.tty ? fromHome(session.cwd, reader.home) : session.cwd],
    ["project", session.project_id],
    ["by", session.started_by === null ? null : `${session.started_by.label}, pid ${session.started_by.pid}`],
    ["created", time(session.created_at)],
    ["started", time(session.started_at)],
    ["ended", ended(session, time(session.ended_at), reader)],
    ["duration", duration(session, reader)],
    ["cpu", cpu(session, reader)],
    ["memory", session.usage === null ? null : bytes(session.usage.max_rss_kb * 1024, reader)],
    ["transport", transport(session)],
    ["output", output(session, reader)],
    ["unread", (session.input_unread ?? 0) === 0 ? null : `${bytes(session.input_unread ?? 0, reader)} of input`],
    ["limit", bytes(session.max_output_bytes, reader)],
    ["limits", limits(session, reader)],
    ["timeout", timeouts(session, reader)],
    ["sharing", clientRules(session)],
    ["kept", kept(session, reader)],
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
      reader.tty ? `${plural(session.env_keys.length, "variable")}, by name in --json` : session.env_keys.join(" "),
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

function bytes(count: number, { tty }: Reader): string {
  return tty ? formatBytes(count) : String(count);
}

/** Of a lost holder one knows only when its files changed last: what it looked after may have gone on for hours. */
function ended({ reason }: Session, time: string | null, { tty }: Reader): string | null {
  return time !== null && tty && reason === "holder_lost"
    ? `${time}: its last sign of life, or when it was missed`
    : time;
}

function duration(session: Session, { tty, now }: Reader): string | null {
  const ms = runDurationMs(session, now);
  if (ms === null) return null;
  if (!tty) return `${ms} ms`;
  return session.reason === "holder_lost" ? `at least ${formatDuration(ms)}` : formatDuration(ms);
}

function cpu({ usage }: Session, { tty }: Reader): string | null {
  if (usage === null) return null;
  if (!tty) return `${usage.cpu_ms} ms`;
  return `${formatDuration(usage.cpu_ms)} (user ${formatDuration(usage.cpu_user_ms)}, system ${formatDuration(usage.cpu_system_ms)})`;
}

function transport({ transport_mode, current_size: size, tty_attached }: Session): string {
  const where = size === null ? "" : ` ${size.cols}×${size.rows}`;
  return `${transport_mode}${where}${tty_attached ? ", on a person's terminal" : ""}`;
}

function output({ output_bytes, truncated, output_complete }: Session, reader: Reader): string {
  const notes = [truncated ? "truncated" : "", output_complete === false ? "not drained to the end" : ""].filter(
    Boolean,
  );
  return [bytes(output_bytes, reader), ...notes].join(", ");
}

/** "on failure, at most 10 in a row; 3 so far" */
function restart({ restart: chain }: Session): string | null {
  if (chain === null) return null;
  const most = chain.max_restarts === null ? "" : `, at most ${chain.max_restarts} in a row`;
  return `${chain.when.replaceAll("_", " ")}${most}; ${chain.count} so far`;
}

/** "cpu 10 s, memory 1.0 GiB" */
function limits({ limits: most }: Session, reader: Reader): string | null {
  if (most === null) return null;
  const said = [
    most.cpu_ms === null ? null : `cpu ${reader.tty ? formatDuration(most.cpu_ms) : `${most.cpu_ms} ms`}`,
    most.memory_bytes === null ? null : `memory ${bytes(most.memory_bytes, reader)}`,
    most.files === null ? null : `files ${most.files}`,
    most.processes === null ? null : `processes ${most.processes}`,
    most.file_size_bytes === null ? null : `file size ${bytes(most.file_size_bytes, reader)}`,
    most.session_memory_bytes === null ? null : `session memory ${bytes(most.session_memory_bytes, reader)}`,
    most.session_processes === null ? null : `session processes ${most.session_processes}`,
  ];
  return said.filter((word) => word !== null).join(", ");
}

/** "after 10 min, after 30 s idle" */
function timeouts({ timeout_ms, idle_timeout_ms }: Session, { tty }: Reader): string {
  const after = (ms: number): string => `after ${tty ? formatDuration(ms) : `${ms} ms`}`;
  const said = [
    timeout_ms === null ? null : after(timeout_ms),
    idle_timeout_ms === null ? null : `${after(idle_timeout_ms)} idle`,
  ];
  return said.filter((word) => word !== null).join(", ");
}

/** "input lease, size latest, at most 2 clients": of what is not as usual. */
function clientRules({ client_rules: rules }: Session): string | null {
  if (rules === null) return null;
  const said = [
    rules.input === DEFAULT_CLIENT_RULES.input ? null : `input ${rules.input}`,
    rules.size_rule === DEFAULT_CLIENT_RULES.size_rule ? null : `size ${rules.size_rule}`,
    rules.max_clients === DEFAULT_CLIENT_RULES.max_clients ? null : `at most ${plural(rules.max_clients, "client")}`,
  ];
  return said.filter((word) => word !== null).join(", ");
}

/** Until when; while it runs, for how long after its end. */
function kept({ ended_at, retention_seconds }: Session, { tty, now }: Reader): string {
  const ms = retention_seconds * 1000;
  if (ended_at === null) return tty ? `${formatDuration(ms)} after its end` : `${retention_seconds} s after its end`;
  const until = new Date(Date.parse(ended_at) + ms).toISOString();
  return tty ? `until ${formatTime(until, now)}` : `until ${until}`;
}
