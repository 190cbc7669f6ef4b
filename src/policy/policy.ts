/**
 * Types of the policy on what API callers may start: rules and commands, with their paths resolved.
 */

export interface CommandRule {
  /** As written in the configuration. */
  written: string;
  kind: "name" | "file" | "directory";
  /**
   * The file or directory with symlinks resolved; a name is looked up in the daemon's own PATH.
   * Null: not found.
   */
  real: string | null;
}

/** The rule as a denial quotes it. */
export function ruleName(key: "allow" | "deny" | "ask", { written }: CommandRule): string {
  return `policy.${key} ${JSON.stringify(written)}`;
}

export interface RootRule {
  written: string;
  real: string | null;
}

export interface Policy {
  allow: readonly CommandRule[];
  deny: readonly CommandRule[];
  ask: readonly CommandRule[];
  /** Null: deny if `allow` has rules, else allow. */
  otherwise: "allow" | "ask" | "deny" | null;
  roots: readonly RootRule[];
  /** Variable names; a trailing * matches any suffix. */
  env: readonly string[];
  maxArgvBytes: number;
  maxEnvBytes: number;
  maxInputBytes: number;
  /** Null: unlimited. */
  maxSessions: number | null;
}

/** Sizes of a session to be started. */
export interface StartSizes {
  argvBytes: number;
  envBytes: number;
  inputBytes: number;
  /** Running sessions of this caller. */
  sessions: number;
}

/** A session to be started. */
export interface PolicyInput extends StartSizes {
  /** `person`: the user at the command line, exempt from the policy. */
  caller: "person" | "program";
  method: string;
  /** The caller passed a command line: the command is its shell. */
  isLine: boolean;
  /** argv[0]. */
  argv0: string;
  /**
   * Every path from the one found through each symlink target to the final file. Empty: not found.
   */
  trail: readonly string[];
  /** The file is reached through a /proc link, which resolves differently in each process. */
  isProcLink: boolean;
  /** Symlinks resolved; null if it does not exist or leads through a /proc link. */
  cwd: string | null;
  /** Variables that differ from the ones every command gets. */
  envKeys: readonly string[];
}

export type Verdict = "allow" | "ask" | "deny";

export interface Decision {
  verdict: Verdict;
  /** The deciding key and rule: `policy.deny "curl"`. */
  rule: string;
  /** The reason, for the caller or the user. */
  why: string;
  /** `limit`: a size is exceeded; a smaller request may be allowed. */
  kind: "rule" | "limit";
  /** An alternative that would be allowed, if known. */
  hint?: string;
}
