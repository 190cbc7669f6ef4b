/** What callers of the API may start, with what they need resolved: rules to the files that they mean, commands to the files that they are. */

export interface CommandRule {
  /** As it stands in the configuration. */
  written: string;
  kind: "name" | "file" | "directory";
  /** The file or directory that it leads to, links resolved; a name is looked up in the daemon's own PATH. Null: there is none. */
  real: string | null;
}

/** As a refusal names it. */
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
  /** Null: deny where `allow` has rules, else allow. */
  otherwise: "allow" | "ask" | "deny" | null;
  roots: readonly RootRule[];
  /** Names of variables; a * at the end stands for any rest. */
  env: readonly string[];
  maxArgvBytes: number;
  maxEnvBytes: number;
  maxInputBytes: number;
  /** Null: as many as there may be. */
  maxSessions: number | null;
}

/** How much a session that somebody wants to start would take. */
export interface Amounts {
  argvBytes: number;
  envBytes: number;
  inputBytes: number;
  /** Of this caller, alive. */
  sessions: number;
}

/** A session that somebody wants to start. */
export interface PolicyInput extends Amounts {
  /** Whose own hands it is: the person at the command line is not policed. */
  caller: "person" | "program";
  method: string;
  /** A line for a shell was asked for: the command is the shell. */
  isLine: boolean;
  /** The first word of argv. */
  asked: string;
  /** Every path on the way to the file, from where it was found on, each link's target, the file itself last. Empty: not found. */
  trail: readonly string[];
  /** It is reached through a link of /proc, which leads each process elsewhere: nobody can say for another which file it is. */
  isProcLink: boolean;
  /** Links resolved; null where it is not there, or elusive too. */
  cwd: string | null;
  /** What the caller set beside, or other than, what every command has. */
  envKeys: readonly string[];
}

export type Verdict = "allow" | "ask" | "deny";

export interface Decision {
  verdict: Verdict;
  /** The key that decided, and the rule of it: `policy.deny "curl"`. */
  rule: string;
  /** For whoever is denied or asked: what is wrong. */
  why: string;
  /** `limit`: too much, and less of it might do. */
  kind: "rule" | "limit";
  /** What would be allowed, where that can be said. */
  hint?: string;
}
