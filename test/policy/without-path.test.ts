/** Variables that make an allowed command run other code, and a missing PATH. */
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
 * A caller that could start a bash script wrote its helper beside it and removed PATH: bash then
 * uses a built-in PATH that ends with the current directory. Setting PATH was denied, removing it
 * was not, and `shell.run` sets none.
 */
describe("An allowed command without a PATH", () => {
  const TOOL = '#!/bin/bash\necho "$PATH"\nmyhelper 2>/dev/null || echo none\n';

  test("gets the daemon's PATH: no file is found where the caller may write", async () => {
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

  test("gets the default PATH if the daemon has none", async () => {
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

  test("gets none if there is no allow list", async () => {
    await withRoot({}, async ({ client, bench, root }) => {
      configure(bench, '[policy]\ndeny = ["nothing"]\n');
      const { channels } = await client.call("exec.run", { args: ["/usr/bin/env"], cwd: root, env_mode: "clean" });
      expect(channels["stdout"]).not.toContain("PATH=");
    });
  });
});

/**
 * Each names code or a command that a common program runs; all of them passed beside an allow list.
 */
test("variables that name code or commands cannot be set for an allowed command", async () => {
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
