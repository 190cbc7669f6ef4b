/** What a command that a list allows runs itself, by the variables that it has or has not. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { dial, end } from "../daemon/household.ts";
import { base64, withRoot } from "../exec/served-root.ts";
import { Bench } from "../support/holt.ts";
import { CALLERS, script } from "./script.ts";

const quoted = JSON.stringify;

/**
 * A caller that might start a script of bash's wrote the helper that this calls beside it, and took PATH away: bash then has one of its own, which ends
 * with the directory that it is in. To set PATH was refused, to have none was not, and `shell.run` gives none by itself.
 */
describe("A command that a list allows, without a PATH,", () => {
  const TOOL = '#!/bin/bash\necho "$PATH"\nmyhelper 2>/dev/null || echo none\n';

  test("has the daemon's own: nothing is found where the caller may write", async () => {
    await withRoot({}, async ({ client, bench, root, outside }) => {
      const tool = script(join(outside, "mytool"), TOOL);
      configure(bench, `[policy]\nallow = [${quoted(tool)}]\nroots = [${quoted(root)}]\n`);
      await client.call("fs.write_file", { path: join(root, "myhelper"), data: base64(CALLERS), mode: "0755" });
      const expected = `${bench.env["PATH"]}\nnone\n`;
      const run = { args: [tool], cwd: root };
      for (const given of [{ env: { PATH: null } }, { env_mode: "clean" }, { env_mode: "inherit" }] as const)
        expect((await client.call("exec.run", { ...run, ...given })).channels["stdout"]).toBe(expected);
      expect(await client.call("shell.run", { argv: [tool], cwd: root })).toMatchObject({ stdout: base64(expected) });
      const { session_id } = await client.call("session.start", {
        argv: [tool],
        cwd: root,
        pty: false,
        env_base64: [],
      });
      await client.call("session.wait", { session_id, until: "exit" });
      expect(bench.output(session_id).toString()).toBe(expected);
    });
  });

  test("has the usual one where the daemon has none either", async () => {
    using bench = Bench.withDaemon();
    const tool = script(join(bench.root, "mytool"), TOOL);
    configure(bench, `[policy]\nallow = [${quoted(tool)}]\nenv = ["A"]\n`);
    const path = bench.env["PATH"] ?? "";
    delete bench.env["PATH"];
    await bench.run(["daemon"]);
    bench.env["PATH"] = path;
    try {
      using client = await dial(bench);
      const { channels } = await client.call("exec.run", { args: [tool], cwd: bench.root, env: { A: "1" } });
      expect(channels["stdout"]).toBe("/usr/local/bin:/usr/bin:/bin\nnone\n");
    } finally {
      await end(bench);
    }
  });

  test("has none where no list says what may be started", async () => {
    await withRoot({}, async ({ client, bench, root }) => {
      configure(bench, '[policy]\ndeny = ["nothing"]\n');
      const { channels } = await client.call("exec.run", { args: ["/usr/bin/env"], cwd: root, env_mode: "clean" });
      expect(channels["stdout"]).not.toContain("PATH=");
    });
  });
});

/** Each names code, or a command, that a usual program runs; all of them passed beside an allow-list. */
test("variables that name code or commands are not set for a command that a list allows", async () => {
  await withRoot({}, async ({ client, bench, root }) => {
    configure(bench, '[policy]\nallow = ["echo"]\n');
    const names =
      "OPENSSL_CONF VIMINIT EXINIT LESS LESSOPEN LESSCLOSE DOTNET_STARTUP_HOOKS RUSTC_WRAPPER RUSTC GOFLAGS INPUTRC LOCPATH npm_config_script_shell Npm_Config_script_shell NPM_CONFIG_SCRIPT_SHELL";
    for (const name of names.split(" ")) {
      const refused = await failure(client.call("exec.run", { args: ["echo"], cwd: root, env: { [name]: "x" } }));
      expect([name, refused]).toMatchObject([name, { code: "EDENIED", details: { rule: "policy.allow" } }]);
    }
    expect(await client.call("exec.run", { args: ["echo"], cwd: root, env: { LESSON: "1" } })).toMatchObject({
      exit_code: 0,
    });
  });
});
