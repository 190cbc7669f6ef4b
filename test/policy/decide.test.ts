import { describe, expect, test } from "bun:test";
import { type Bounds, withinBounds, type RequestedIdleTimeout, idleTimeoutMs } from "../../src/policy/bounds.ts";
import { decide } from "../../src/policy/decide.ts";
import type { CommandRule, Policy, PolicyInput } from "../../src/policy/policy.ts";
import { NO_LIMITS } from "../../src/protocol/types/limits.ts";

const OPEN: Policy = {
  allow: [],
  deny: [],
  ask: [],
  otherwise: null,
  roots: [],
  env: [],
  maxArgvBytes: 1000,
  maxEnvBytes: 1000,
  maxInputBytes: 1000,
  maxSessions: null,
};

/** `git push`, in a project, by an agent. */
const GIT: PolicyInput = {
  caller: "program",
  method: "exec.run",
  isLine: false,
  argv0: "git",
  trail: ["/usr/bin/git", "/usr/bin/git"],
  isProcLink: false,
  cwd: "/home/me/app",
  envKeys: [],
  argvBytes: 9,
  envBytes: 100,
  inputBytes: 0,
  sessions: 0,
};

const VI: Partial<PolicyInput> = { argv0: "vi", trail: ["/usr/bin/vi", "/etc/alternatives/vi", "/usr/bin/vim.basic"] };
const BUSYBOX_SH: Partial<PolicyInput> = { argv0: "busybox", trail: ["/bin/busybox", "/bin/busybox"] };
const BUSYBOX_LS: Partial<PolicyInput> = { argv0: "ls", trail: ["/bin/ls", "/bin/busybox"] };
const ELUSIVE: Partial<PolicyInput> = { argv0: "/proc/self/cwd/usr/bin/git", trail: [], isProcLink: true };
const MISSING: Partial<PolicyInput> = { argv0: "gti", trail: [] };

const name = (written: string, real: string | null = `/usr/bin/${written}`): CommandRule => ({
  written,
  kind: "name",
  real,
});
const file = (written: string, real: string | null = written): CommandRule => ({ written, kind: "file", real });
const directory = (written: string, real: string | null = written): CommandRule => ({
  written,
  kind: "directory",
  real,
});
const root = (written: string, real: string | null = written) => ({ written, real });

const DENY = "deny" as const;

describe("The decision", () => {
  test.each<[string, Partial<Policy>, Partial<PolicyInput>, string, string]>([
    // no rules
    ["without a policy", {}, {}, "allow", "policy.otherwise"],
    ["without a policy, a command that is not there", {}, MISSING, "allow", "policy.otherwise"],

    // allow
    ["a name", { allow: [name("git")] }, {}, "allow", 'policy.allow "git"'],
    ["a file", { allow: [file("/usr/bin/git")] }, {}, "allow", 'policy.allow "/usr/bin/git"'],
    ["a directory", { allow: [directory("/usr/bin")] }, {}, "allow", 'policy.allow "/usr/bin"'],
    [
      "a directory whose real name is another",
      { allow: [directory("/bin", "/usr/bin")] },
      {},
      "allow",
      'policy.allow "/bin"',
    ],
    ["a directory is no beginning of a name", { allow: [directory("/usr/b")] }, {}, "deny", "policy.allow"],
    ["the root directory", { allow: [directory("/")] }, {}, "allow", 'policy.allow "/"'],
    ["what is another file for each who looks", { allow: [name("git")] }, ELUSIVE, "deny", "policy.allow"],
    ["the same, where only some are denied", { deny: [name("ls")] }, ELUSIVE, "deny", "policy.deny"],
    ["the same, where some commands need approval", { ask: [name("ls")] }, ELUSIVE, "deny", "policy.ask"],
    ["the same, where all commands need approval", { otherwise: "ask" }, ELUSIVE, "deny", "policy.otherwise"],
    ["what no rule names", { allow: [name("ls")] }, {}, "deny", "policy.allow"],
    [
      "a name that leads to another file than the caller's",
      { allow: [name("git")] },
      { trail: ["/tmp/git", "/tmp/git"] },
      "deny",
      "policy.allow",
    ],
    [
      "a link of an allowed name to another file",
      { allow: [name("git")] },
      { trail: ["/tmp/git", "/usr/bin/dash"] },
      "deny",
      "policy.allow",
    ],
    [
      "a link of another name to an allowed file",
      { allow: [name("git")] },
      { argv0: "g", trail: ["/tmp/g", "/usr/bin/git"] },
      "deny",
      "policy.allow",
    ],
    [
      "a link in an allowed directory to a file outside",
      { allow: [directory("/tmp")] },
      { trail: ["/tmp/git", "/usr/bin/git"] },
      "deny",
      "policy.allow",
    ],
    ["a name that is a link itself", { allow: [name("vi", "/usr/bin/vim.basic")] }, VI, "allow", 'policy.allow "vi"'],
    [
      "one of many commands in one file",
      { allow: [name("ls", "/bin/busybox")] },
      BUSYBOX_LS,
      "allow",
      'policy.allow "ls"',
    ],
    [
      "another of many commands in one file",
      { allow: [name("ls", "/bin/busybox")] },
      BUSYBOX_SH,
      "deny",
      "policy.allow",
    ],
    ["the same, by its path", { allow: [file("/bin/ls", "/bin/busybox")] }, BUSYBOX_SH, "deny", "policy.allow"],
    ["a rule that leads nowhere", { allow: [name("git", null)] }, {}, "deny", "policy.allow"],
    [
      "a command that does not exist",
      { allow: [name("gti", null), directory("/usr/bin")] },
      MISSING,
      "deny",
      "policy.allow",
    ],

    // deny
    ["denied by name", { deny: [name("git")] }, {}, "deny", 'policy.deny "git"'],
    [
      "denied by the requested name, though not found",
      { deny: [name("gti", null)] },
      MISSING,
      "deny",
      'policy.deny "gti"',
    ],
    ["denied by a name on its way", { deny: [name("vim.basic")] }, VI, "deny", 'policy.deny "vim.basic"'],
    [
      "denied by the file that a name means",
      { deny: [name("git")] },
      { argv0: "g", trail: ["/tmp/g", "/usr/bin/git"] },
      "deny",
      'policy.deny "git"',
    ],
    [
      "denied by file",
      { deny: [file("/usr/bin/git")] },
      { argv0: "g", trail: ["/tmp/g", "/usr/bin/git"] },
      "deny",
      'policy.deny "/usr/bin/git"',
    ],
    [
      "denied by a directory on its way",
      { deny: [directory("/etc/alternatives")] },
      VI,
      "deny",
      'policy.deny "/etc/alternatives"',
    ],
    [
      "denied by the real name of a directory",
      { deny: [directory("/bin", "/usr/bin")] },
      {},
      "deny",
      'policy.deny "/bin"',
    ],
    ["deny counts before allow", { allow: [name("git")], deny: [name("git")] }, {}, "deny", 'policy.deny "git"'],
    ["deny counts before ask", { ask: [name("git")], deny: [name("git")] }, {}, "deny", 'policy.deny "git"'],
    ["another is not concerned", { deny: [name("curl")] }, {}, "allow", "policy.otherwise"],

    // ask
    ["asked about", { ask: [name("git")] }, {}, "ask", 'policy.ask "git"'],
    ["ask counts before allow", { allow: [name("git")], ask: [name("git")] }, {}, "ask", 'policy.ask "git"'],

    // otherwise
    ["otherwise deny", { otherwise: DENY }, {}, "deny", "policy.otherwise"],
    ["otherwise ask", { otherwise: "ask" }, {}, "ask", "policy.otherwise"],
    [
      "otherwise allow, beside an allow list",
      { otherwise: "allow", allow: [name("ls")] },
      {},
      "allow",
      "policy.otherwise",
    ],
    ["otherwise ask, beside an allow list", { otherwise: "ask", allow: [name("ls")] }, {}, "ask", "policy.otherwise"],

    // directories
    ["in a root", { roots: [root("/home/me")] }, {}, "allow", "policy.otherwise"],
    ["the root itself", { roots: [root("/home/me/app")] }, {}, "allow", "policy.otherwise"],
    ["a root that is a link", { roots: [root("/src", "/home/me")] }, {}, "allow", "policy.otherwise"],
    ["outside of every root", { roots: [root("/srv"), root("/home/me/ap")] }, {}, "deny", "policy.roots"],
    ["a root that is not there", { roots: [root("/home/me", null)] }, {}, "deny", "policy.roots"],
    ["a directory that is not there", { roots: [root("/")] }, { cwd: null }, "deny", "policy.roots"],
    ["roots count before allow", { roots: [root("/srv")], allow: [name("git")] }, {}, "deny", "policy.roots"],

    // variables
    [
      "a variable that may be set",
      { env: ["CI", "NPM_*"] },
      { envKeys: ["CI", "NPM_TOKEN"] },
      "allow",
      "policy.otherwise",
    ],
    ["one that may not", { env: ["CI"] }, { envKeys: ["CI", "CII"] }, "deny", "policy.env"],
    [
      "code by a variable, beside an allow list",
      { allow: [name("git")] },
      { envKeys: ["GIT_SSH_COMMAND"] },
      "deny",
      "policy.allow",
    ],
    [
      "the same, named by policy.env",
      { allow: [name("git")], env: ["GIT_*"] },
      { envKeys: ["GIT_SSH_COMMAND"] },
      "allow",
      'policy.allow "git"',
    ],
    ["the same without an allow list", {}, { envKeys: ["LD_PRELOAD"] }, "allow", "policy.otherwise"],
    ["LD_PRELOAD", { allow: [name("git")] }, { envKeys: ["LD_PRELOAD"] }, "deny", "policy.allow"],
    ["PATH", { allow: [name("git")] }, { envKeys: ["PATH"] }, "deny", "policy.allow"],

    // sizes
    ["as long as it may be", {}, { argvBytes: 1000, envBytes: 1000, inputBytes: 1000 }, "allow", "policy.otherwise"],
    ["argv too long", {}, { argvBytes: 1001 }, "deny", "policy.max_argv_bytes"],
    ["environment too long", {}, { envBytes: 1001 }, "deny", "policy.max_env_bytes"],
    ["input too long", {}, { inputBytes: 1001 }, "deny", "policy.max_input_bytes"],
    ["the last session that may be", { maxSessions: 3 }, { sessions: 2 }, "allow", "policy.otherwise"],
    ["one session too many", { maxSessions: 3 }, { sessions: 3 }, "deny", "policy.max_sessions"],
    ["none at all", { maxSessions: 0 }, {}, "deny", "policy.max_sessions"],

    // the user
    [
      "the user, for any command",
      { deny: [name("git")], roots: [root("/srv")], maxSessions: 0 },
      { caller: "person" },
      "allow",
      "the person's own command",
    ],
  ])("%s", (_, policy, subject, ...[verdict, rule]) => {
    const decision = decide({ ...OPEN, ...policy }, { ...GIT, ...subject });
    expect({ verdict: decision.verdict, rule: decision.rule }).toEqual({ verdict, rule } as never);
    if (verdict !== "allow") expect(decision.why).not.toBe("");
  });
});

describe("The bounds", () => {
  const FREE: Bounds = {
    timeoutMs: null,
    idleTimeoutMs: null,
    terminalIdleTimeoutMs: null,
    limits: NO_LIMITS,
    maxTimeoutMs: null,
    maxSessions: null,
    maxOutputBytes: null,
    maxLimits: NO_LIMITS,
  };
  const NOTHING = { timeout_ms: null, max_output_bytes: 100, limits: null, linger: false };

  test.each<[string, Partial<Bounds>, Partial<typeof NOTHING> | object, object]>([
    ["none", {}, {}, NOTHING],
    ["the default timeout", { timeoutMs: 5 }, {}, { timeout_ms: 5 }],
    ["the requested timeout", { timeoutMs: 5 }, { timeout_ms: 9 }, { timeout_ms: 9 }],
    ["nothing lingers past the longest life", { maxTimeoutMs: 7 }, { linger: true }, { linger: false, life_ms: 7 }],
    ["nothing lingers where sessions are counted", { maxSessions: 1 }, { linger: true }, { linger: false }],
    ["what is left to itself, where nobody minds", {}, { linger: true }, { linger: true, life_ms: null }],
    ["up to the most", { maxTimeoutMs: 7 }, { timeout_ms: 9 }, { timeout_ms: 7 }],
    ["who asks for none has the most", { maxTimeoutMs: 7 }, {}, { timeout_ms: 7 }],
    ["of output", { maxOutputBytes: 10 }, {}, { max_output_bytes: 10 }],
    ["of output, when less was requested", { maxOutputBytes: 10 }, { max_output_bytes: 3 }, { max_output_bytes: 3 }],
    ["limits by default", { limits: { ...NO_LIMITS, files: 9 } }, {}, { limits: { ...NO_LIMITS, files: 9 } }],
    [
      "requested limits",
      { limits: { ...NO_LIMITS, files: 9 } },
      { limits: { ...NO_LIMITS, files: 20, cpu_ms: 1 } },
      { limits: { ...NO_LIMITS, files: 20, cpu_ms: 1 } },
    ],
    [
      "limits up to the maximum",
      { maxLimits: { ...NO_LIMITS, files: 9, processes: 4 } },
      { limits: { ...NO_LIMITS, files: 20 } },
      { limits: { ...NO_LIMITS, files: 9, processes: 4 } },
    ],
  ])("%s", (_, bounds, asked, expected) => {
    expect(withinBounds({ ...FREE, ...bounds }, { ...NOTHING, ...asked })).toMatchObject(expected);
  });

  const IDLE = { requested: null, hasTerminal: true, isOverHttp: false };
  test.each<[string, Partial<Bounds>, Partial<RequestedIdleTimeout>, number | null]>([
    ["the default of terminals before that of any session", { idleTimeoutMs: 6, terminalIdleTimeoutMs: 7 }, {}, 7],
    ["the default of any session for a terminal", { idleTimeoutMs: 6 }, {}, 6],
    ["the default of any session on pipes", { idleTimeoutMs: 6, terminalIdleTimeoutMs: 7 }, { hasTerminal: false }, 6],
    ["the caller's own before all", { terminalIdleTimeoutMs: 7 }, { requested: 8, isOverHttp: true }, 8],
    ["none, if the caller requests none", { terminalIdleTimeoutMs: 7 }, { requested: "none", isOverHttp: true }, null],
    ["none without configuration", {}, {}, null],
    ["15 minutes over HTTP", {}, { isOverHttp: true }, 900_000],
    ["the configured one over HTTP", { idleTimeoutMs: 6 }, { isOverHttp: true }, 6],
    ["none over HTTP on pipes", {}, { isOverHttp: true, hasTerminal: false }, null],
  ])("the idle timeout: %s", (_, bounds, asked, expected) => {
    expect(idleTimeoutMs({ ...FREE, ...bounds }, { ...IDLE, ...asked })).toBe(expected);
  });
});

/**
 * `exec.run {"command": "git status"}` was denied for /usr/bin/bash, which the caller had not
 * named, and no hint said what to do.
 */
test("A denied command line names the shell in the error and explains how to run without one.", () => {
  const policy = { ...OPEN, allow: [name("git")] };
  const bash: Partial<PolicyInput> = { argv0: "/usr/bin/bash", trail: ["/usr/bin/bash", "/usr/bin/bash"] };
  const hintFor = (subject: Partial<PolicyInput>): string | undefined =>
    decide(policy, { ...GIT, ...bash, ...subject }).hint;
  expect(hintFor({})).toBeUndefined();
  expect(hintFor({ isLine: true })).toBe(
    'a command line needs its shell to be allowed; args: ["PROGRAM", "ARGUMENT"] runs a program without one',
  );
  expect(hintFor({ isLine: true, method: "session.start" })).toContain("; argv: [");
  const denying = { ...OPEN, deny: [name("bash")] };
  expect(decide(denying, { ...GIT, ...bash, isLine: true }).hint).toContain("args: [");
});
