/**
 * Ways to make the executed file differ from the one that the policy judged, using only the API.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { until } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { base64, type Place, withRoot } from "../exec/served-root.ts";
import { Bench } from "../support/holt.ts";
import { CALLERS, script } from "./script.ts";

const quoted = JSON.stringify;
const echo = realpathSync(Bun.which("echo") ?? "/bin/echo");

/** With and without openat2. */
const WAYS = [
  ["by the kernel", {}],
  ["part by part", { HOLT_NO_OPENAT2: "1" }],
] as const;

async function ruleAgainst(client: DaemonClient, args: string[], cwd: string): Promise<unknown> {
  const refused = await failure(client.call("exec.run", { args, cwd }));
  return (refused as { details?: { rule?: string } } | null)?.details?.rule;
}

/**
 * Paths to `echo` that lead the daemon, which is in /, to the real one, and a command in `root` to
 * the caller's.
 */
function tricks({ root, bench }: Place): string[] {
  symlinkSync("/proc/self/cwd", join(root, "here"));
  symlinkSync(`/proc/self/cwd${echo}`, join(root, "echo"));
  return [
    `/proc/self/cwd${echo}`,
    `/proc/thread-self/cwd${echo}`,
    `/proc/${bench.daemonPid}/cwd${echo}`,
    `/proc/self/root${echo}`,
    `/dev/fd/../cwd${echo}`,
    join(root, "here") + echo,
    join(root, "echo"),
    "./echo",
  ];
}

/**
 * A caller with write access below a root that could start `echo` wrote a script to usr/bin/echo
 * there, and started /proc/self/cwd/usr/bin/echo in it: the daemon saw /usr/bin/echo and allowed
 * it; the command's own process saw the script and ran it.
 */
describe.each(WAYS)("A path that leads each process elsewhere, looked at %s,", (_way, env) => {
  test("is neither denied nor allowed by name", async () => {
    await withRoot(env, async (place) => {
      const { client, bench, root } = place;
      const roots = `roots = [${quoted(root)}]\n`;
      configure(bench, `[policy]\nallow = ["echo", "cat", "sleep"]\n${roots}`);
      mkdirSync(dirname(root + echo), { recursive: true });
      await client.call("fs.write_file", { path: root + echo, data: base64(CALLERS), mode: "0755" });
      const paths = tricks(place);
      for (const path of paths) expect([path, await ruleAgainst(client, [path], root)]).toEqual([path, "policy.allow"]);
      const { channels } = await client.call("exec.run", { args: ["echo", "true one"], cwd: root });
      expect(channels["stdout"]).toBe("true one\n");
      for (const [list, rule] of [
        [`deny = [${quoted(root + echo)}]`, "policy.deny"],
        [`ask = [${quoted(root + echo)}]`, "policy.ask"],
        ['otherwise = "ask"', "policy.otherwise"],
      ] as const) {
        configure(bench, `[policy]\n${list}\n${roots}`);
        for (const path of paths) expect([path, await ruleAgainst(client, [path], root)]).toEqual([path, rule]);
      }
    });
  });

  test("is not a directory or file below a root", async () => {
    using bench = Bench.withDaemon(env);
    const root = join(bench.root, "root");
    mkdirSync(root);
    writeFileSync(join(root, "file"), "");
    symlinkSync("/proc/self/cwd", join(root, "here"));
    configure(bench, `[policy]\nallow = ["echo"]\nroots = [${quoted(root)}]\n[fs]\nroots = ["/"]\n`);
    await bench.run(["daemon"]);
    try {
      using client = await dial(bench);
      for (const way of ["/proc/self/cwd", "/proc/self/root", `/proc/${bench.daemonPid}/cwd`, join(root, "here")]) {
        expect([way, await ruleAgainst(client, ["echo"], way + root)]).toEqual([way, "policy.roots"]);
        const path = `${way}${root}/file`;
        const calls = [
          client.call("fs.read_file", { path }),
          client.call("fs.write_file", { path, data: "" }),
          client.call("fs.list", { path: way + root }),
          client.call("session.start", { argv: ["echo"], cwd: root, channels: [{ name: "x", source: "file", path }] }),
        ];
        for (const call of calls) expect([way, await failure(call)]).toMatchObject([way, { code: "EDENIED" }]);
      }
    } finally {
      await end(bench);
    }
  });
});

/**
 * If the daemon finds no file, no rule denies it; but the file that the command's process finds was
 * not judged.
 */
test("a file that only the command's own process finds is not run if some commands are denied", async () => {
  await withRoot({}, async ({ client, bench, root }) => {
    const target = script(join(root, "target"), CALLERS);
    script(join(root, "echo"), CALLERS);
    configure(bench, `[policy]\ndeny = [${quoted(target)}, ${quoted(join(root, "echo"))}]\n`);
    const PATH = "/proc/self/cwd:/usr/bin:/bin";
    for (const asked of [
      { args: ["/proc/self/cwd/target"] },
      { args: ["target"], env: { PATH } },
      { args: ["echo"], env: { PATH } },
    ]) {
      const refused = await failure(client.call("exec.run", { ...asked, cwd: root }));
      expect([asked, refused]).toMatchObject([asked, { code: "EDENIED" }]);
    }
    const { channels } = await client.call("exec.run", { args: ["cat"], cwd: root, env: { PATH }, stdin: "as usual" });
    expect(channels["stdout"]).toBe("as usual");
  });
});

/**
 * The command is judged by its real path but must keep the name it was called by: many programs
 * depend on it.
 */
test("a symlink that a rule names keeps its name: in argv[0], for a script, and in the process list", async () => {
  await withRoot({}, async ({ client, bench, root, outside }) => {
    const [called, scripted] = [join(outside, "called"), join(outside, "scripted")];
    symlinkSync(realpathSync("/bin/sh"), called);
    symlinkSync(script(join(outside, "real"), '#!/bin/sh\necho "$0"\n'), scripted);
    configure(bench, `[policy]\nallow = [${quoted(called)}, ${quoted(scripted)}]\n`);
    const run = async (args: string[]) => (await client.call("exec.run", { args, cwd: root })).channels["stdout"];
    expect(await run([called, "-c", 'echo "$0"; read name </proc/$$/comm; echo "$name"'])).toBe(`${called}\ncalled\n`);
    expect(await run([scripted])).toBe(`${scripted}\n`);
  });
});

/** The lookup and the start are two moments, and a restarting command is looked up again. */
test("a restart runs the allowed file or none", async () => {
  await withRoot({}, async ({ client, bench, root, outside }) => {
    const tool = join(outside, "tool");
    const callers = script(join(root, "callers"), CALLERS);
    symlinkSync(script(join(outside, "first"), `#!/bin/sh\necho first\nln -sfn ${callers} ${tool}\nexit 1\n`), tool);
    configure(bench, `[policy]\nallow = [${quoted(tool)}]\n`);
    const { session_id } = await client.call("session.start", {
      argv: [tool],
      cwd: root,
      pty: false,
      restart: { when: "on_failure", max_restarts: 1, delay_ms: 0 },
    });
    const second = (): string | undefined =>
      bench.started().find((id) => bench.meta(id).previous_session_id === session_id);
    await until("the second attempt has ended", () =>
      existsSync(join(bench.state, "sessions", second() ?? "", "final.json")),
    );
    expect(bench.output(session_id).toString()).toBe("first\n");
    expect(bench.final(second())).toMatchObject({ state: "failed" });
    expect(bench.output(second()).toString()).toBe("");
  });
});
