/** Builds the policy and its bounds from the settings, with the paths of all rules resolved. */
import { realpathSync } from "node:fs";
import type { Settings } from "../../config/keys.ts";
import { findExecutable } from "../../platform/process/find-executable.ts";
import { losslessBytes, losslessText } from "../../platform/fs/lossless-text.ts";
import { inheritedVariable } from "../../platform/process/raw-arguments.ts";
import { kindOf, pathStat } from "../../platform/fs/stat.ts";
import type { Bounds } from "../../policy/bounds.ts";
import type { CommandRule, Policy, Verdict } from "../../policy/policy.ts";
import type { Limits } from "../../protocol/types/limits.ts";

export function policyFrom(settings: Settings): Policy {
  const commands = (key: "policy.allow" | "policy.deny" | "policy.ask"): CommandRule[] =>
    settings[key].map(commandRule);
  return {
    allow: commands("policy.allow"),
    deny: commands("policy.deny"),
    ask: commands("policy.ask"),
    otherwise: settings["policy.otherwise"],
    roots: settings["policy.roots"].map((written) => ({ written, real: realPath(losslessBytes(written)) })),
    env: settings["policy.env"],
    maxArgvBytes: settings["policy.max_argv_bytes"],
    maxEnvBytes: settings["policy.max_env_bytes"],
    maxInputBytes: settings["policy.max_input_bytes"],
    maxSessions: settings["policy.max_sessions"],
  };
}

export function boundsFrom(settings: Settings): Bounds {
  return {
    timeoutMs: settings["timeouts.session_ms"],
    idleTimeoutMs: settings["timeouts.idle_ms"],
    terminalIdleTimeoutMs: milliseconds(settings["pty.idle_ttl_seconds"]),
    limits: limitsFrom(settings, "limits."),
    maxTimeoutMs: settings["policy.max_timeout_ms"],
    maxSessions: settings["policy.max_sessions"],
    maxOutputBytes: settings["policy.max_output_bytes"],
    maxLimits: limitsFrom(settings, "policy.max_"),
  };
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000;
}

/**
 * True if the policy limits the commands, variables or directories of a start. Other ways to start
 * something must then be closed too.
 */
export function isRestricted(settings: Settings): boolean {
  const { "policy.otherwise": otherwise } = settings;
  const lists = ["policy.allow", "policy.deny", "policy.ask", "policy.roots", "policy.env"] as const;
  return lists.some((key) => settings[key].length > 0) || otherwise === "ask" || otherwise === "deny";
}

/** The verdict on acting on another caller's session. */
export function othersVerdict(settings: Settings): Verdict {
  return settings["policy.others"] ?? (isRestricted(settings) ? "deny" : "allow");
}

/** Null if it does not exist. */
export function realPath(path: Uint8Array): string | null {
  try {
    return losslessText(realpathSync.native(Buffer.from(path), { encoding: "buffer" }));
  } catch {
    return null;
  }
}

function limitsFrom(settings: Settings, prefix: "limits." | "policy.max_"): Limits {
  return {
    cpu_ms: settings[`${prefix}cpu_ms`],
    memory_bytes: settings[`${prefix}memory_bytes`],
    files: settings[`${prefix}files`],
    processes: settings[`${prefix}processes`],
    file_size_bytes: settings[`${prefix}file_size_bytes`],
    session_memory_bytes: settings[`${prefix}session_memory_bytes`],
    session_processes: settings[`${prefix}session_processes`],
  };
}

/** A name is looked up in the daemon's PATH, not the caller's. */
function commandRule(written: string): CommandRule {
  const bytes = losslessBytes(written);
  if (!written.startsWith("/")) {
    const search = findExecutable(bytes, inheritedVariable("PATH"));
    return { written, kind: "name", real: search.kind === "found" ? realPath(search.path) : null };
  }
  return { written: withoutSlash(written), kind: isDirectory(bytes) ? "directory" : "file", real: realPath(bytes) };
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}

function isDirectory(path: Uint8Array): boolean {
  try {
    return kindOf(pathStat(path)) === "directory";
  } catch {
    return false;
  }
}
