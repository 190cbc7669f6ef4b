/**
 * The table of settings: valid values, default and description of each. The file's keys, the HOLT_*
 * variables, `holt config` and docs/reference/config.md derive from it.
 */
import { MAX_DURATION_MS } from "../protocol/types/duration.ts";
import { MAX_SCROLLBACK_BYTES, SETTINGS } from "../protocol/types/settings.ts";
import { DEFAULT_LOG_LEVEL, LOG_FORMATS, LOG_LEVELS } from "../protocol/types/log-settings.ts";
import { DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_QUOTA_BYTES, DEFAULT_RETENTION_SECONDS } from "../protocol/types/session.ts";
import type { Kind, ValueOf } from "./kinds.ts";

const ANY = Number.MAX_SAFE_INTEGER;
const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;

export const KEYS = {
  "sessions.retention_seconds": {
    type: "integer",
    least: 1,
    most: ANY,
    default: DEFAULT_RETENTION_SECONDS,
    summary:
      "how long a session is kept after it ends; `--retention` and `retention_seconds` override it for one session",
  },
  "sessions.max_output_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: DEFAULT_MAX_OUTPUT_BYTES,
    summary: "how much of a session's output is recorded; the command keeps running past it",
  },
  "sessions.quota_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: DEFAULT_QUOTA_BYTES,
    summary: "how much disk space all sessions together may use; above it, the oldest ended sessions are removed first",
  },

  "pty.default_shell": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary:
      "the shell of `exec.run`, and of `pty.open` without a command, unless the caller sets SHELL; default: the user's login shell",
  },
  "pty.scrollback_bytes": {
    type: "integer",
    least: 0,
    most: MAX_SCROLLBACK_BYTES,
    default: SETTINGS.scrollback_bytes.fallback,
    summary: "how much recent output `holt attach --replay raw`, and `?replay=raw` over WebSocket, show",
  },
  "pty.idle_ttl_seconds": {
    type: "integer",
    least: 1,
    most: Math.floor(MAX_DURATION_MS / 1000),
    default: null,
    summary:
      "a terminal session that an API caller starts without `idle_timeout_ms` ends after this long without output, input, or a client that attaches, detaches or resizes it; takes precedence over `timeouts.idle_ms`. With neither, a session started over HTTP ends after 900 seconds",
  },
  "pty.max_clients": {
    type: "integer",
    least: 0,
    most: ANY,
    default: SETTINGS.max_clients.fallback,
    summary: "how many clients may be attached to a session at the same time",
  },
  "pty.slow_client_ms": {
    type: "integer",
    least: 100,
    most: HOUR_MS,
    default: SETTINGS.slow_client_ms.fallback,
    summary: "an attached client that reads nothing for this long is detached",
  },

  "terminal.clipboard": {
    type: "switch",
    default: false,
    summary: "whether programs may write to the clipboard of attached terminals (OSC 52)",
  },

  "timeouts.session_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "`timeout_ms` of sessions whose caller sets none",
  },
  "timeouts.idle_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "`idle_timeout_ms` of sessions whose caller sets none",
  },
  "timeouts.approval_ms": {
    type: "integer",
    least: 100,
    most: HOUR_MS,
    default: 45_000,
    summary: "how long a call waits for the user's approval; most MCP hosts cancel a call after a minute",
  },

  // Sessions that API callers start; those of the command line inherit the limits of the user's
  // shell.
  "limits.cpu_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "CPU time of sessions whose caller sets no such limit",
  },
  "limits.memory_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "address space of sessions whose caller sets no such limit",
  },
  "limits.files": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "open files of sessions whose caller sets no such limit",
  },
  "limits.processes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "processes of the user, for sessions whose caller sets no such limit",
  },
  "limits.file_size_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "size of files written by sessions whose caller sets no such limit",
  },

  "limits.session_memory_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "memory of the whole session (cgroup v2), if its caller sets no such limit",
  },
  "limits.session_processes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "processes of the whole session (cgroup v2), if its caller sets no such limit",
  },
  "limits.cgroup": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary:
      "the cgroup v2 directory in which sessions with such limits get their own groups, also those of the command line; default: the nearest parent of holt's own group that allows it",
  },

  "policy.allow": {
    type: "list",
    of: "commands",
    default: [],
    summary: "commands that API callers may start: names, files, or directories with everything below them",
  },
  "policy.deny": {
    type: "list",
    of: "commands",
    default: [],
    summary: "commands that API callers may not start; takes precedence over `ask` and `allow`",
  },
  "policy.ask": {
    type: "list",
    of: "commands",
    default: [],
    summary: "commands that need the user's approval (`holt approvals`); takes precedence over `allow`",
  },
  "policy.otherwise": {
    type: "choice",
    choices: ["allow", "ask", "deny"],
    default: null,
    summary: "the verdict for commands in none of these lists; default: deny if `allow` has entries, else allow",
  },
  "policy.others": {
    type: "choice",
    choices: ["allow", "ask", "deny"],
    default: null,
    summary:
      "the verdict for callers that type into, or end, a session they did not start; default: deny if the policy has rules for commands, directories or variables, else allow",
  },
  "policy.roots": {
    type: "list",
    of: "directories",
    default: [],
    summary: "directories in or below which sessions are started and files served; empty: anywhere",
  },
  "policy.env": {
    type: "list",
    of: "variables",
    default: [],
    summary:
      "variables that a caller may set; empty: any, but if `allow` has entries, none that makes commands load code",
  },
  "policy.max_timeout_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary:
      "the longest timeout that a caller may set, for all attempts together, and the default; with it, `linger` is ignored",
  },
  "policy.max_output_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: null,
    summary: "the most output that a caller may have recorded per session",
  },
  "policy.max_cpu_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most CPU time that a caller may give a session, and the default",
  },
  "policy.max_memory_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most address space that a caller may give a session, and the default",
  },
  "policy.max_files": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most open files that a caller may give a session, and the default",
  },
  "policy.max_processes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most processes of the user that a caller may give a session, and the default",
  },
  "policy.max_file_size_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the largest files that a caller may let a session write, and the default",
  },
  "policy.max_session_memory_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most memory that a caller may give a whole session (cgroup v2), and the default",
  },
  "policy.max_session_processes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most processes that a caller may give a whole session (cgroup v2), and the default",
  },
  "policy.max_sessions": {
    type: "integer",
    least: 0,
    most: ANY,
    default: null,
    summary: "how many sessions of one caller may run at the same time; with it, `linger` is ignored",
  },
  "policy.max_calls": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "how many calls of one caller may run at the same time",
  },
  "policy.max_argv_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: MIB,
    summary: "the most bytes of a command with its arguments, or of a shell command line",
  },
  "policy.max_env_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: MIB,
    summary: "the most bytes of environment that a caller may pass",
  },
  "policy.max_input_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: 8 * MIB,
    summary: "the most bytes of input in one call",
  },

  "fs.roots": {
    type: "list",
    of: "directories",
    default: null,
    summary:
      "directories below which files are served; default: `policy.roots`; if that is empty, the home directory and /tmp, but none if the policy has rules for commands or variables",
  },

  "log.level": {
    type: "choice",
    choices: LOG_LEVELS,
    default: DEFAULT_LOG_LEVEL,
    summary: "the lowest level that is written to log/holt.jsonl",
  },
  "log.format": {
    type: "choice",
    choices: LOG_FORMATS,
    default: "json",
    summary: "one JSON object per line, or text",
  },
  "audit.calls": {
    type: "choice",
    choices: ["all", "acting", "none"],
    default: "all",
    summary: "which calls log/audit.jsonl records; acting: all except read-only ones",
  },
  "audit.max_bytes": {
    type: "integer",
    least: 4096,
    most: ANY,
    default: 16 * MIB,
    summary: "the size at which log/audit.jsonl is rotated",
  },
  "audit.keep": {
    type: "integer",
    least: 0,
    most: 1000,
    default: 4,
    summary: "how many older audit files are kept",
  },

  "http.listen": {
    type: "text",
    form: "address",
    default: null,
    summary:
      "the address on which the daemon serves HTTP from its start; default: none until `holt web`, then loopback",
  },
  "http.expose": {
    type: "switch",
    default: false,
    summary:
      "whether `http.listen` may be an address that other machines can reach; anyone there with a token can then run programs",
  },
  "http.hosts": {
    type: "list",
    of: "hosts",
    default: [],
    summary: "additional host names for browsers, e.g. behind a proxy; requests with any other host name are refused",
  },
  "http.tls_cert": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary: "the TLS certificate chain as PEM; with `http.tls_key`, the daemon serves HTTPS",
  },
  "http.tls_key": { type: "text", form: "absolute_path", default: null, summary: "the TLS private key as PEM" },
  "http.rate": {
    type: "integer",
    least: 1,
    most: 1_000_000,
    default: 500,
    summary: "requests per second per token; more are answered with 429",
  },
  "http.max_sessions": {
    type: "integer",
    least: 0,
    most: ANY,
    default: 200,
    summary:
      "how many sessions started over HTTP, WebSocket or MCP over HTTP may run at the same time; more are answered with 429",
  },
  "metrics.listen": {
    type: "text",
    form: "address",
    default: null,
    summary:
      "the address on which the daemon serves only /metrics, without a token, from its start; default: none, metrics need the owner's token on the HTTP address",
  },
  "tmux.socket": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary: "the socket of a private tmux server; default: in the state directory",
    later: "the tmux bridge",
  },
} as const satisfies Record<string, Kind>;

export type KeyName = keyof typeof KEYS;
export type Settings = { readonly [K in KeyName]: ValueOf<(typeof KEYS)[K]> };

export const KEY_NAMES = Object.keys(KEYS) as KeyName[];

export function isKey(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}

/** E.g. HOLT_PTY_MAX_CLIENTS for `pty.max_clients`. */
export function variableOf(key: KeyName): string {
  return `HOLT_${key.replaceAll(".", "_").toUpperCase()}`;
}

export function defaults(): Settings {
  return Object.fromEntries(KEY_NAMES.map((key) => [key, KEYS[key].default])) as unknown as Settings;
}
