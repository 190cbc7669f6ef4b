/**
 * Tries to get around an allow list through the daemon's socket. No rule names the command to
 * reach, `target`. Each way is either denied, or it works and docs/security.md says so: a list of
 * commands does not contain what a listed command can do.
 */
import { beforeAll, afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

let bench: Bench;
let client: DaemonClient;
let home: string;
let target: string;

beforeAll(async () => {
  bench = Bench.withDaemon();
  home = join(bench.root, "home");
  mkdirSync(join(home, "bin"), { recursive: true });
  target = join(home, "target");
  writeFileSync(target, "#!/bin/sh\necho reached\n");
  chmodSync(target, 0o755);
  await bench.run(["daemon"]);
  client = await dial(bench);
});

afterAll(async () => {
  client[Symbol.dispose]();
  await end(bench);
  bench[Symbol.dispose]();
});

const loader =
  ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((path) => existsSync(path)) ?? "/lib/ld.so";

interface Attempt {
  args: string[];
  env?: Record<string, string>;
  stdin?: string;
}

/** "reached", "denied", or the output instead. */
async function attempt({ args, env = {}, stdin }: Attempt): Promise<string> {
  try {
    const given = stdin === undefined ? {} : { stdin };
    const { channels } = await client.call("exec.run", { args, env, cwd: home, ...given });
    const { stdout, stderr } = channels;
    return stdout.includes("reached") ? "reached" : stdout + stderr;
  } catch (error) {
    const { code, details } = error as { code: string; details: Record<string, unknown> };
    return code === "EDENIED" ? `denied: ${String(details["rule"])}` : code;
  }
}

const list = (commands: readonly string[]): string => `[policy]\nallow = ${JSON.stringify(commands)}\n`;

describe('With policy.allow = ["ls", "git"], what is not on the list is refused', () => {
  const byTrick: [string, () => Attempt][] = [
    ["itself", () => ({ args: [target] })],
    ["env", () => ({ args: ["env", target] })],
    ["xargs", () => ({ args: ["xargs", target], stdin: "x" })],
    ["find -exec", () => ({ args: ["find", home, "-maxdepth", "0", "-exec", target, ";"] })],
    ["sh -c", () => ({ args: ["sh", "-c", target] })],
    ["nice", () => ({ args: ["nice", target] })],
    ["timeout", () => ({ args: ["timeout", "5", target] })],
    ["setsid", () => ({ args: ["setsid", "-w", target] })],
    ["ld.so with a listed command as its argument", () => ({ args: [loader, "/usr/bin/git", "--version"] })],
    ["awk", () => ({ args: ["awk", `BEGIN{system("${target}")}`] })],
    ["a link of a listed name", () => ({ args: [join(home, "bin", "git")] })],
    ["a link in PATH", () => ({ args: ["git"], env: { PATH: join(home, "bin") } })],
    [
      "a directory before the others in PATH",
      () => ({ args: ["git"], env: { PATH: `${join(home, "bin")}:/usr/bin:/bin` } }),
    ],
    ["an empty PATH entry", () => ({ args: ["git"], env: { PATH: ":/nowhere" } })],
    ["a relative path", () => ({ args: ["bin/git"] })],
    ["dots in a path", () => ({ args: ["/usr/bin/../../" + target] })],
    ["a copy of a shell under a listed name", () => ({ args: [join(home, "copy", "git"), "-c", target] })],
    ["a hard link to it under a listed name", () => ({ args: [join(home, "hard", "git")] })],
    ["LD_PRELOAD", () => ({ args: ["ls"], env: { LD_PRELOAD: "/tmp/x.so" } })],
    ["GIT_SSH_COMMAND", () => ({ args: ["git", "ls-remote", "ssh://h/x"], env: { GIT_SSH_COMMAND: target } })],
    ["GIT_EXTERNAL_DIFF", () => ({ args: ["git", "diff"], env: { GIT_EXTERNAL_DIFF: target } })],
    ["PAGER", () => ({ args: ["git", "-p", "help"], env: { PAGER: target } })],
    ["a HOME with a configuration", () => ({ args: ["git", "x"], env: { HOME: home } })],
    ["BASH_ENV", () => ({ args: ["ls"], env: { BASH_ENV: target } })],
    ["an empty word", () => ({ args: [""] })],
  ];

  beforeAll(() => {
    symlinkSync(target, join(home, "bin", "git"));
    mkdirSync(join(home, "copy"));
    copyFileSync(realpathSync("/bin/sh"), join(home, "copy", "git"));
    chmodSync(join(home, "copy", "git"), 0o755);
    mkdirSync(join(home, "hard"));
    linkSync(target, join(home, "hard", "git"));
    configure(bench, list(["ls", "git"]));
  });

  test("what is on it runs", async () => {
    expect(await attempt({ args: ["ls", home] })).toContain("target");
    expect(await attempt({ args: ["git", "--version"] })).toStartWith("git version");
  });

  test.each(byTrick)("%s", async (_, make) => {
    configure(bench, list(["ls", "git"]));
    expect(await attempt(make())).toBe("denied: policy.allow");
  });

  test("a line of shell", async () => {
    configure(bench, list(["ls", "git"]));
    const error = await client.call("exec.run", { command: "ls", cwd: home }).then(
      () => null,
      (refusal: unknown) => refusal,
    );
    expect(error).toMatchObject({ code: "EDENIED", details: { rule: "policy.allow" } });
  });
});

describe("A listed command that can run others reaches everything", () => {
  test.each<[string, string, () => Attempt]>([
    ["env", "env", () => ({ args: ["env", target] })],
    ["xargs", "xargs", () => ({ args: ["xargs", target], stdin: "x" })],
    ["find -exec", "find", () => ({ args: ["find", home, "-maxdepth", "0", "-exec", target, ";"] })],
    ["sh -c", "sh", () => ({ args: ["sh", "-c", target] })],
    ["ld.so", loader, () => ({ args: [loader, "/bin/sh", target] })],
    ["git -c alias", "git", () => ({ args: ["git", "-c", `alias.x=!${target}`, "x"] })],
    ["tar --to-command", "tar", () => ({ args: ["tar", "-xf", join(home, "x.tar"), `--to-command=${target}`] })],
    [
      "tar --checkpoint-action",
      "tar",
      () => ({ args: ["tar", "-cf", "/dev/null", "--checkpoint=1", `--checkpoint-action=exec=${target}`, target] }),
    ],
    ["awk system()", "awk", () => ({ args: ["awk", `BEGIN{system("${target}")}`] })],
    ["sed e", "sed", () => ({ args: ["sed", `1e ${target}`], stdin: "x\n" })],
    ["make", "make", () => ({ args: ["make", "-s", "-f", join(home, "Makefile")] })],
    ["nice", "nice", () => ({ args: ["nice", target] })],
  ])("%s", async (_, allowed, make) => {
    writeFileSync(join(home, "Makefile"), `all:\n\t@${target}\n`);
    Bun.spawnSync(["tar", "-cf", join(home, "x.tar"), "-C", home, "target"]);
    configure(bench, list([allowed]));
    expect(await attempt(make())).toBe("reached");
  });

  test("busybox, if installed: only the listed applet", async () => {
    const busybox = Bun.which("busybox");
    if (busybox === null) return;
    symlinkSync(busybox, join(home, "bin", "cat"));
    configure(bench, list([join(home, "bin", "cat")]));
    expect(await attempt({ args: [join(home, "bin", "cat"), target] })).toContain("echo reached");
    expect(await attempt({ args: [busybox, "sh", target] })).toBe("denied: policy.allow");
    configure(bench, list(["busybox"]));
    expect(await attempt({ args: ["busybox", "sh", target] })).toBe("reached");
  });
});

describe("A deny list stops accidents, not intent", () => {
  const deny = (): void => void configure(bench, `[policy]\ndeny = [${JSON.stringify(target)}]\n`);

  test.each<[string, () => Attempt]>([
    ["itself", () => ({ args: [target] })],
    ["through a link", () => ({ args: [join(home, "bin", "other")] })],
    ["through PATH", () => ({ args: ["target"], env: { PATH: home } })],
  ])("refused: %s", async (_, make) => {
    if (!existsSync(join(home, "bin", "other"))) symlinkSync(target, join(home, "bin", "other"));
    deny();
    expect(await attempt(make())).toStartWith("denied: policy.deny");
  });

  test.each<[string, () => Attempt]>([
    ["a shell", () => ({ args: ["sh", target] })],
    ["env", () => ({ args: ["env", target] })],
    ["a copy", () => ({ args: [join(home, "bin", "copied")] })],
  ])("reached: %s", async (_, make) => {
    copyFileSync(target, join(home, "bin", "copied"));
    deny();
    expect(await attempt(make())).toBe("reached");
  });
});

describe("The directories of policy.roots", () => {
  test("limit the directory in which a session starts, symlinks resolved, not where it goes later", async () => {
    const jail = join(home, "jail");
    mkdirSync(join(jail, "in"), { recursive: true });
    symlinkSync("/etc", join(jail, "out"));
    configure(bench, `[policy]\nroots = [${JSON.stringify(jail)}]\n`);
    const at = async (cwd: string): Promise<string> => {
      try {
        return (await client.call("exec.run", { args: ["pwd"], cwd })).channels["stdout"]?.trim() ?? "";
      } catch (error) {
        return String((error as { details: { rule?: string } }).details.rule);
      }
    };
    expect(await at(join(jail, "in"))).toBe(realpathSync(join(jail, "in")));
    expect(await at(jail)).toBe(realpathSync(jail));
    expect(await at(join(jail, "out"))).toBe("policy.roots");
    expect(await at(`${jail}/../`)).toBe("policy.roots");
    expect(await at("/")).toBe("policy.roots");
    expect(await at(`${jail}-not`)).toBe("policy.roots");
    const { channels } = await client.call("exec.run", { args: ["sh", "-c", "cd / && pwd"], cwd: jail });
    expect(channels["stdout"]).toBe("/\n");
  });
});

test("docs/security.md names every way that these tests try", () => {
  const page = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  for (const way of [
    "env",
    "xargs",
    "find -exec",
    "sh -c",
    "ld.so",
    "git -c alias",
    "tar --to-command",
    "tar --checkpoint-action",
    "awk",
    "sed",
    "make",
    "busybox",
    "LD_PRELOAD",
    "GIT_SSH_COMMAND",
    "PATH",
    "/proc/self/cwd",
  ])
    expect(page).toContain(`\`${way}`);
});

/**
 * An entry with a NUL was one for the policy and two for the kernel, so a variable that was not
 * allowed could follow it.
 */
test.each<{ argv?: string[]; argv_base64?: string[]; env_base64?: string[] }>([
  { argv: ["echo"], env_base64: [btoa("A=1\0A=2"), btoa("LD_PRELOAD=/x.so")] },
  { argv_base64: [btoa("echo"), btoa("a\0b")] },
  { argv_base64: ["not base64!"] },
])("words that the kernel would read differently are refused: %j", async (params) => {
  configure(bench, '[policy]\nallow = ["echo"]\nenv = ["A"]\n');
  const refused = await client.call("session.start", { pty: false, ...params }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "EBADARGS",
    message: expect.stringMatching(/contains a NUL byte|is not base64/),
  });
});
