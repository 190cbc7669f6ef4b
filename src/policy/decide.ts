/**
 * The policy decision as a pure function of the policy and its input.
 *
 * The first check with a verdict decides: user, sizes, variables, directory, /proc links, deny,
 * ask, allow, default. `deny` and `ask` match any name and path on the way to the command's file;
 * `allow` matches only the final file.
 */
import { type StartSizes, type CommandRule, type Decision, type Policy, ruleName, type PolicyInput } from "./policy.ts";

export function decide(policy: Policy, input: PolicyInput): Decision {
  if (input.caller === "person") return allowed("the person's own command");
  return (
    sizeDenial(policy, input) ??
    variableDenial(policy, input) ??
    directoryDenial(policy, input) ??
    procLinkDenial(policy, input) ??
    ruleDecision(policy, input) ??
    defaultDecision(policy, input)
  );
}

/** The decision where no rule is configured: only the sizes are checked. */
export function decideBySizes(policy: Policy, amounts: StartSizes): Decision {
  return sizeDenial(policy, amounts) ?? ALLOWED_BY_DEFAULT;
}

function sizeDenial(policy: Policy, { argvBytes, envBytes, inputBytes, sessions }: StartSizes): Decision | null {
  const over = (key: string, what: string, is: number, most: number): Decision | null =>
    is <= most
      ? null
      : { verdict: "deny", rule: `policy.${key}`, why: `${what}: ${is}, at most ${most}`, kind: "limit" };
  return (
    over("max_argv_bytes", "the command is too long, in bytes", argvBytes, policy.maxArgvBytes) ??
    over("max_env_bytes", "the environment is too long, in bytes", envBytes, policy.maxEnvBytes) ??
    over("max_input_bytes", "the input is too long, in bytes", inputBytes, policy.maxInputBytes) ??
    over("max_sessions", "too many running sessions of this caller", sessions + 1, policy.maxSessions ?? Infinity)
  );
}

function variableDenial({ env, allow }: Policy, { envKeys }: PolicyInput): Decision | null {
  if (env.length > 0) {
    const key = envKeys.find((each) => !env.some((pattern) => matchesName(pattern, each)));
    return key === undefined ? null : denied("policy.env", `the variable ${key} may not be set`);
  }
  // An allow list protects nothing if a variable can make an allowed command load other code.
  const key = allow.length === 0 ? undefined : envKeys.find(loadsCode);
  if (key === undefined) return null;
  return denied("policy.allow", `the variable ${key} would make an allowed command run other code`);
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function directoryDenial({ roots }: Policy, { cwd }: PolicyInput): Decision | null {
  if (roots.length === 0 || (cwd !== null && roots.some(({ real }) => real !== null && isWithin(cwd, real))))
    return null;
  const why = cwd === null ? "the directory does not exist, or is behind a /proc link" : `the directory is ${cwd}`;
  return {
    ...denied("policy.roots", why),
    hint: `pass cwd: a directory below ${roots.map(({ written }) => written).join(" or ")}`,
  };
}

/**
 * No rule can name such a file, and the user cannot identify it either: it is denied as soon as any
 * rule depends on the file.
 */
function procLinkDenial({ deny, ask, allow }: Policy, { argv0, isProcLink }: PolicyInput): Decision | null {
  if (!isProcLink) return null;
  const lists = Object.entries({ allow, deny, ask });
  const key = lists.find(([, rules]) => rules.length > 0)?.[0] ?? "otherwise";
  return {
    ...denied(`policy.${key}`, `${argv0} leads through a /proc link, which each process resolves to another file`),
    hint: "pass the path of the file itself",
  };
}

function ruleDecision({ deny, ask, allow }: Policy, input: PolicyInput): Decision | null {
  const file = input.trail.at(-1) ?? input.argv0;
  const denying = deny.find((rule) => matchesAnyPath(rule, input));
  if (denying !== undefined) return deniedCommand(ruleName("deny", denying), `the command is ${file}`, input);
  const asking = ask.find((rule) => matchesAnyPath(rule, input));
  if (asking !== undefined) return askUser(ruleName("ask", asking), `the command is ${file}`);
  const allowing = allow.find((rule) => matchesFinalFile(rule, input));
  return allowing === undefined ? null : allowed(ruleName("allow", allowing));
}

function defaultDecision({ otherwise, allow }: Policy, input: PolicyInput): Decision {
  const { argv0, trail } = input;
  const verdict = otherwise ?? (allow.length > 0 ? "deny" : "allow");
  const rule = otherwise === null && verdict === "deny" ? "policy.allow" : "policy.otherwise";
  const file = trail.at(-1) ?? `${JSON.stringify(argv0)}, which was not found`;
  const why = `the command is ${file}, which no rule names`;
  if (verdict === "allow") return ALLOWED_BY_DEFAULT;
  return verdict === "deny" ? deniedCommand(rule, why, input) : askUser(rule, why);
}

/**
 * The caller of a command line did not name the denied shell: the hint explains the alternative.
 */
function deniedCommand(rule: string, why: string, { isLine, method }: PolicyInput): Decision {
  if (!isLine) return denied(rule, why);
  const words = method === "session.start" ? "argv" : "args";
  const hint = `a command line needs its shell to be allowed; ${words}: ["PROGRAM", "ARGUMENT"] runs a program without one`;
  return { ...denied(rule, why), hint };
}

/** Matches any name or path on the way to the file. */
function matchesAnyPath({ kind, written, real }: CommandRule, { argv0, trail }: PolicyInput): boolean {
  if (kind === "name") return [argv0, ...trail].some((path) => lastPart(path) === written) || isLast(trail, real);
  if (kind === "file") return trail.includes(written) || isLast(trail, real);
  return trail.some((path) => isWithin(path, written) || (real !== null && isWithin(path, real)));
}

/**
 * Matches the final file. A file or name rule must also match the called name: one file can be many
 * commands that differ by name (busybox), and allowing one must not allow all.
 */
function matchesFinalFile({ kind, written, real }: CommandRule, { argv0, trail }: PolicyInput): boolean {
  const file = trail.at(-1);
  if (file === undefined || real === null) return false;
  return kind === "directory" ? isWithin(file, real) : file === real && lastPart(argv0) === lastPart(written);
}

function isLast(trail: readonly string[], real: string | null): boolean {
  return real !== null && trail.at(-1) === real;
}

function isWithin(path: string, directory: string): boolean {
  const prefix = directory.endsWith("/") ? directory : `${directory}/`;
  return path === directory || path.startsWith(prefix);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const allowed = (rule: string): Decision => ({ verdict: "allow", rule, why: "", kind: "rule" });
const ALLOWED_BY_DEFAULT = Object.freeze(allowed("policy.otherwise"));
const denied = (rule: string, why: string): Decision => ({ verdict: "deny", rule, why, kind: "rule" });
const askUser = (rule: string, why: string): Decision => ({ verdict: "ask", rule, why, kind: "rule" });

/**
 * Variables that can make a program run other code. The list is incomplete, as each program may
 * have its own; `policy.env` lists the permitted ones instead.
 */
const LOADERS =
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|OPENSSL_CONF|PATH|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|BASH_FUNC_.*|ZDOTDIR|INPUTRC|GIT_.*|EDITOR|VISUAL|VIMINIT|EXINIT|PAGER|MANPAGER|LESS|LESSOPEN|LESSCLOSE|BROWSER|SHELL|NODE_OPTIONS|NODE_PATH|BUN_OPTIONS|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|LUA_.*|R_PROFILE.*|MAKEFLAGS|MAKEFILES|CC|CXX|RUSTC|RUSTC_.*|GOFLAGS|TAR_OPTIONS|RSYNC_RSH|SSH_ASKPASS|SUDO_ASKPASS|HOME|XDG_CONFIG_.*)$/;
/** npm reads these in any letter case. */
const NPM = /^npm_config_/i;

function loadsCode(key: string): boolean {
  return LOADERS.test(key) || NPM.test(key);
}
