/**
 * The decision, pure: the same subject under the same policy is always decided the same way.
 *
 * In this order, and the first that speaks counts: the person; what is too much; variables; directory; what cannot be judged; deny; ask; allow; otherwise.
 * `deny` and `ask` are read generously, by every name that a command has on its way; `allow` is read strictly, by the file that it is in the end.
 */
import { type Amounts, type CommandRule, type Decision, type Policy, ruleName, type PolicyInput } from "./policy.ts";

export function decide(policy: Policy, subject: PolicyInput): Decision {
  if (subject.caller === "person") return allowed("the person's own command");
  return (
    tooMuch(policy, subject) ??
    badVariable(policy, subject) ??
    outside(policy, subject) ??
    elusive(policy, subject) ??
    byList(policy, subject) ??
    byDefault(policy, subject)
  );
}

/** The same of what a program starts where no rule is written: only how much it is can be too much. */
export function decideByAmount(policy: Policy, amounts: Amounts): Decision {
  return tooMuch(policy, amounts) ?? UNRULED;
}

function tooMuch(policy: Policy, { argvBytes, envBytes, inputBytes, sessions }: Amounts): Decision | null {
  const over = (key: string, what: string, is: number, most: number): Decision | null =>
    is <= most
      ? null
      : { verdict: "deny", rule: `policy.${key}`, why: `${what}: ${is}, at most ${most}`, kind: "limit" };
  return (
    over("max_argv_bytes", "the command is too long, in bytes", argvBytes, policy.maxArgvBytes) ??
    over("max_env_bytes", "the environment is too long, in bytes", envBytes, policy.maxEnvBytes) ??
    over("max_input_bytes", "the input is too long, in bytes", inputBytes, policy.maxInputBytes) ??
    over("max_sessions", "too many sessions of this caller live", sessions + 1, policy.maxSessions ?? Infinity)
  );
}

function badVariable({ env, allow }: Policy, { envKeys }: PolicyInput): Decision | null {
  if (env.length > 0) {
    const key = envKeys.find((each) => !env.some((pattern) => matchesName(pattern, each)));
    return key === undefined ? null : denied("policy.env", `the variable ${key} may not be set`);
  }
  // A list of commands would be worth nothing beside a variable that makes them load other code.
  const key = allow.length === 0 ? undefined : envKeys.find(loadsCode);
  if (key === undefined) return null;
  return denied("policy.allow", `the variable ${key} would make an allowed command run other code`);
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function outside({ roots }: Policy, { cwd }: PolicyInput): Decision | null {
  if (roots.length === 0 || (cwd !== null && roots.some(({ real }) => real !== null && isWithin(cwd, real))))
    return null;
  const why = cwd === null ? "the directory is not there, or behind a link of /proc" : `the directory is ${cwd}`;
  return {
    ...denied("policy.roots", why),
    hint: `pass cwd: a directory below ${roots.map(({ written }) => written).join(" or ")}`,
  };
}

/** No rule can name it, so none may free it: it is refused wherever any rule asks for the file. A person who is asked could not tell either. */
function elusive({ deny, ask, allow }: Policy, { asked, isProcLink }: PolicyInput): Decision | null {
  if (!isProcLink) return null;
  const lists = Object.entries({ allow, deny, ask });
  const key = lists.find(([, rules]) => rules.length > 0)?.[0] ?? "otherwise";
  return {
    ...denied(`policy.${key}`, `${asked} leads through a link of /proc, to another file for each who looks`),
    hint: "pass the path of the file itself",
  };
}

function byList({ deny, ask, allow }: Policy, subject: PolicyInput): Decision | null {
  const what = subject.trail.at(-1) ?? subject.asked;
  const no = deny.find((rule) => concerns(rule, subject));
  if (no !== undefined) return deniedCommand(ruleName("deny", no), `the command is ${what}`, subject);
  const maybe = ask.find((rule) => concerns(rule, subject));
  if (maybe !== undefined) return asking(ruleName("ask", maybe), `the command is ${what}`);
  const yes = allow.find((rule) => permits(rule, subject));
  return yes === undefined ? null : allowed(ruleName("allow", yes));
}

function byDefault({ otherwise, allow }: Policy, subject: PolicyInput): Decision {
  const { asked, trail } = subject;
  const verdict = otherwise ?? (allow.length > 0 ? "deny" : "allow");
  const rule = otherwise === null && verdict === "deny" ? "policy.allow" : "policy.otherwise";
  const what = trail.at(-1) ?? `${JSON.stringify(asked)}, which was not found`;
  const why = `the command is ${what}, which no rule names`;
  if (verdict === "allow") return UNRULED;
  return verdict === "deny" ? deniedCommand(rule, why, subject) : asking(rule, why);
}

/** Who gave a line did not name the shell that is refused. */
function deniedCommand(rule: string, why: string, { isLine, method }: PolicyInput): Decision {
  if (!isLine) return denied(rule, why);
  const words = method === "session.start" ? "argv" : "args";
  const hint = `a command line needs its shell to be allowed; ${words}: ["PROGRAM", "ARGUMENT"] runs a program without one`;
  return { ...denied(rule, why), hint };
}

/** By any name, or any place, that it has. */
function concerns({ kind, written, real }: CommandRule, { asked, trail }: PolicyInput): boolean {
  if (kind === "name") return [asked, ...trail].some((path) => lastPart(path) === written) || isLast(trail, real);
  if (kind === "file") return trail.includes(written) || isLast(trail, real);
  return trail.some((path) => isWithin(path, written) || (real !== null && isWithin(path, real)));
}

/**
 * By the file that it is in the end. A file or a name must also be called so: one file may be many commands, which go by the name they are
 * called by (busybox), and to allow one of them is not to allow them all.
 */
function permits({ kind, written, real }: CommandRule, { asked, trail }: PolicyInput): boolean {
  const file = trail.at(-1);
  if (file === undefined || real === null) return false;
  return kind === "directory" ? isWithin(file, real) : file === real && lastPart(asked) === lastPart(written);
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
const UNRULED = Object.freeze(allowed("policy.otherwise"));
const denied = (rule: string, why: string): Decision => ({ verdict: "deny", rule, why, kind: "rule" });
const asking = (rule: string, why: string): Decision => ({ verdict: "ask", rule, why, kind: "rule" });

/**
 * Variables by which a program can be made to run code of one's own choice. Not all there are, as every program may have its own: `policy.env`
 * names those that may be set, which is the safe way round.
 */
const LOADERS =
  /^(?:LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|OPENSSL_CONF|PATH|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|BASH_FUNC_.*|ZDOTDIR|INPUTRC|GIT_.*|EDITOR|VISUAL|VIMINIT|EXINIT|PAGER|MANPAGER|LESS|LESSOPEN|LESSCLOSE|BROWSER|SHELL|NODE_OPTIONS|NODE_PATH|BUN_OPTIONS|PYTHON.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|DOTNET_STARTUP_HOOKS|LUA_.*|R_PROFILE.*|MAKEFLAGS|MAKEFILES|CC|CXX|RUSTC|RUSTC_.*|GOFLAGS|TAR_OPTIONS|RSYNC_RSH|SSH_ASKPASS|SUDO_ASKPASS|HOME|XDG_CONFIG_.*)$/;
/** npm reads them in any case of letters. */
const NPM = /^npm_config_/i;

function loadsCode(key: string): boolean {
  return LOADERS.test(key) || NPM.test(key);
}
