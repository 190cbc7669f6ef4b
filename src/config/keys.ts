/**
 * Every setting, once: what it may be, what it is when nobody says, and what it does. The file's keys, the HOLT_* variables, `holt config` and
 * docs/reference/config.md are all read off this table.
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
    summary: "how long a session is kept after its end; `--retention` and `retention_seconds` name another for one",
  },
  "sessions.max_output_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: DEFAULT_MAX_OUTPUT_BYTES,
    summary: "how much of a session's output is kept; the command runs on past it",
  },
  "sessions.quota_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: DEFAULT_QUOTA_BYTES,
    summary: "what all sessions together may take on disk; past it those that ended first go first",
  },

  "pty.default_shell": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary:
      "the shell of `pty.open` without a command and of `exec.run`, unless the caller's SHELL names another; without it that of the user",
  },
  "pty.scrollback_bytes": {
    type: "integer",
    least: 0,
    most: MAX_SCROLLBACK_BYTES,
    default: SETTINGS.scrollback_bytes.fallback,
    summary:
      "how many of the last bytes come along with `holt attach --replay raw`, and with `?replay=raw` over WebSocket",
  },
  "pty.idle_ttl_seconds": {
    type: "integer",
    least: 1,
    most: Math.floor(MAX_DURATION_MS / 1000),
    default: null,
    summary:
      "a session on a terminal that a caller of the API starts without `idle_timeout_ms` ends after so long without output, input, or a client that comes, goes or resizes it; counts before `timeouts.idle_ms`. With neither, one started over HTTP ends after 900",
  },
  "pty.max_clients": {
    type: "integer",
    least: 0,
    most: ANY,
    default: SETTINGS.max_clients.fallback,
    summary: "how many clients may be attached to a session at once",
  },
  "pty.slow_client_ms": {
    type: "integer",
    least: 100,
    most: HOUR_MS,
    default: SETTINGS.slow_client_ms.fallback,
    summary: "an attached client that takes nothing for so long is detached",
  },

  "terminal.clipboard": {
    type: "switch",
    default: false,
    summary: "whether a program may write the clipboard of attached terminals (OSC 52)",
  },

  "timeouts.session_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the whole life of a session whose caller names no `timeout_ms`",
  },
  "timeouts.idle_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the same without output, input or such a client, where the caller names no `idle_timeout_ms`",
  },
  "timeouts.approval_ms": {
    type: "integer",
    least: 100,
    most: HOUR_MS,
    default: 45_000,
    summary:
      "how long a call that needs a person's approval waits for it; most MCP hosts give a call up after a minute",
  },

  // Of sessions that callers of the API start; the person's own have what their shell has.
  "limits.cpu_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "processor time of a session whose caller names no such limit",
  },
  "limits.memory_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "address space of a session whose caller names no such limit",
  },
  "limits.files": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "open files of a session whose caller names no such limit",
  },
  "limits.processes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "processes of the user, for a session whose caller names no such limit",
  },
  "limits.file_size_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the size of files written by a session whose caller names no such limit",
  },

  "limits.session_memory_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "memory of a whole session (cgroup v2) whose caller names no such limit",
  },
  "limits.session_processes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "processes of a whole session (cgroup v2) whose caller names no such limit",
  },
  "limits.cgroup": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary:
      "the directory of cgroup v2 in which such sessions get a group of their own, the person's too; without it the nearest above holt's own in which that works",
  },

  "policy.allow": {
    type: "list",
    of: "commands",
    default: [],
    summary: "commands that callers of the API may start: names, files, or directories and all below them",
  },
  "policy.deny": {
    type: "list",
    of: "commands",
    default: [],
    summary: "commands that they may not start; counts before `ask` and `allow`",
  },
  "policy.ask": {
    type: "list",
    of: "commands",
    default: [],
    summary: "commands that need a person's approval (`holt approvals`); counts before `allow`",
  },
  "policy.otherwise": {
    type: "choice",
    choices: ["allow", "ask", "deny"],
    default: null,
    summary: "what becomes of a command that no list names; without it: deny where `allow` names some, else allow",
  },
  "policy.others": {
    type: "choice",
    choices: ["allow", "ask", "deny"],
    default: null,
    summary:
      "what becomes of a caller who types into, or ends, a session that it did not start; without it: deny where the policy has rules for commands, directories or variables, else allow",
  },
  "policy.roots": {
    type: "list",
    of: "directories",
    default: [],
    summary: "sessions are started, and files served, in these directories or below them; empty: anywhere",
  },
  "policy.env": {
    type: "list",
    of: "variables",
    default: [],
    summary:
      "variables that a caller may set; empty: any, but where `allow` names commands none that makes them load code",
  },
  "policy.max_timeout_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary:
      "the longest life that a caller may give a session, all attempts together; one without any gets this, and nothing lingers",
  },
  "policy.max_output_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: null,
    summary: "the most output that a caller may have kept of a session",
  },
  "policy.max_cpu_ms": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "the most processor time that a caller may give a session, and the default",
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
    summary: "how many sessions of one caller may live at once; with it nothing lingers",
  },
  "policy.max_calls": {
    type: "integer",
    least: 1,
    most: ANY,
    default: null,
    summary: "how many calls of one caller may be under way at once",
  },
  "policy.max_argv_bytes": {
    type: "integer",
    least: 1,
    most: ANY,
    default: MIB,
    summary: "the most bytes of a command and its arguments, or of a line of shell",
  },
  "policy.max_env_bytes": {
    type: "integer",
    least: 0,
    most: ANY,
    default: MIB,
    summary: "the most bytes of the environment that a caller gives",
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
      "files are served below these directories; without it below `policy.roots`, without these below the home directory and /tmp, but below none where the policy has rules for commands or variables",
  },

  "log.level": {
    type: "choice",
    choices: LOG_LEVELS,
    default: DEFAULT_LOG_LEVEL,
    summary: "the least level that is written to log/holt.jsonl",
  },
  "log.format": {
    type: "choice",
    choices: LOG_FORMATS,
    default: "json",
    summary: "a JSON object a line, or text",
  },
  "audit.calls": {
    type: "choice",
    choices: ["all", "acting", "none"],
    default: "all",
    summary: "which calls log/audit.jsonl records; acting: all but those that only read",
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
      "where the daemon serves HTTP, from its start on; without it nowhere until `holt web`, and then on loopback",
  },
  "http.expose": {
    type: "switch",
    default: false,
    summary:
      "whether `http.listen` may be an address that others can reach; any holder of a token can then run programs from there",
  },
  "http.hosts": {
    type: "list",
    of: "hosts",
    default: [],
    summary:
      "further names under which a browser reaches it, as behind a proxy; a request to any other name is refused",
  },
  "http.tls_cert": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary: "the certificate, with those that it depends on, as PEM; with `http.tls_key` it serves HTTPS",
  },
  "http.tls_key": { type: "text", form: "absolute_path", default: null, summary: "its key, as PEM" },
  "http.rate": {
    type: "integer",
    least: 1,
    most: 1_000_000,
    default: 500,
    summary: "requests a second with one token; more are answered 429",
  },
  "http.max_sessions": {
    type: "integer",
    least: 0,
    most: ANY,
    default: 200,
    summary:
      "so many sessions that were started over HTTP, WebSocket or MCP there may live at once; more are put off with 429",
  },
  "metrics.listen": {
    type: "text",
    form: "address",
    default: null,
    summary:
      "where the daemon serves /metrics, and nothing else, without a token, from its start on; without it, metrics are served with HTTP, to the owner",
  },
  "tmux.socket": {
    type: "text",
    form: "absolute_path",
    default: null,
    summary: "the socket of a private tmux server; without it in the state directory",
    later: "the tmux bridge",
  },
} as const satisfies Record<string, Kind>;

export type KeyName = keyof typeof KEYS;
export type Settings = { readonly [K in KeyName]: ValueOf<(typeof KEYS)[K]> };

export const KEY_NAMES = Object.keys(KEYS) as KeyName[];

export function isKey(name: string): name is KeyName {
  return Object.hasOwn(KEYS, name);
}

/** `pty.max_clients` is HOLT_PTY_MAX_CLIENTS. */
export function variableOf(key: KeyName): string {
  return `HOLT_${key.replaceAll(".", "_").toUpperCase()}`;
}

export function defaults(): Settings {
  return Object.fromEntries(KEY_NAMES.map((key) => [key, KEYS[key].default])) as unknown as Settings;
}
