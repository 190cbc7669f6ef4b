/** Files that would let a caller get around the policy cannot be written, under any name. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DaemonClient } from "../../src/client/daemon/daemon-client.ts";
import { failure } from "../client/failure.ts";
import { configure } from "../config/configure.ts";
import { dial, end, withDaemon } from "../daemon/household.ts";
import { Bench } from "../support/holt.ts";

const quoted = JSON.stringify;
const EMPTY = "";

function writing(client: DaemonClient, path: string): Promise<unknown> {
  return failure(client.call("fs.write_file", { path, data: EMPTY, mode: "0755" }));
}

describe("What is holt's own", () => {
  // An empty config.toml, written with fs.write_file, disabled all rules for the next call.
  test("is neither read, listed nor written: state, configuration, sockets, by any path", async () => {
    await withDaemon(async (client, bench) => {
      const rules = `[policy]\ndeny = ["sleep"]\n[fs]\nroots = [${quoted(bench.root)}, "/tmp"]\n`;
      const config = configure(bench, rules);
      await client.call("exec.run", { args: ["true"] });
      symlinkSync("config/holt", join(bench.root, "settings"));
      symlinkSync("../state", join(bench.root, "config", "state"));
      const directories = [
        dirname(config),
        bench.state,
        ...["sessions", "run", "log"].map((name) => join(bench.state, name)),
        join(bench.state, "sessions", bench.id),
        join(bench.root, "settings"),
        `${bench.root}/config/../config/holt/`,
        `${bench.root}/config/state/log`,
      ];
      for (const path of directories) {
        expect([path, await failure(client.call("fs.list", { path }))]).toMatchObject([path, { code: "EDENIED" }]);
        expect([path, await writing(client, `${path}/config.toml`)]).toMatchObject([path, { code: "EDENIED" }]);
      }
      for (const path of [config, `${bench.root}/settings/config.toml`, join(bench.state, "log", "audit.jsonl")])
        expect([path, await failure(client.call("fs.read_file", { path }))]).toMatchObject([path, { code: "EDENIED" }]);
      expect(readFileSync(config, "utf8")).toBe(rules);
      expect(await failure(client.call("exec.run", { args: ["sleep", "1"] }))).toMatchObject({ code: "EDENIED" });
    });
  });

  test("is recognised by inode, not by name: a mount of it counts too", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, `fs.roots = [${quoted(bench.root)}]`);
      const bound = ["state", "state/log", "config/holt"].map((name, i) => ({
        name,
        at: join(bench.root, `bound${i}`),
      }));
      const mounted: string[] = [];
      try {
        for (const { name, at } of bound) {
          mkdirSync(at);
          if ((await bench.shell(`mount --bind ${name} ${at}`)).exitCode !== 0) return; // not for everyone
          mounted.push(at);
          expect([name, await failure(client.call("fs.list", { path: at }))]).toMatchObject([
            name,
            { code: "EDENIED" },
          ]);
          expect([name, await writing(client, `${at}/x`)]).toMatchObject([name, { code: "EDENIED" }]);
        }
      } finally {
        for (const at of mounted) await bench.shell(`umount ${at}`);
      }
    });
  });

  test("includes the target of a configuration symlink, and a directory that does not exist yet", async () => {
    await withDaemon(async (client, bench) => {
      const settings = join(bench.root, "dotfiles", "holt.toml");
      mkdirSync(dirname(settings));
      writeFileSync(settings, `fs.roots = [${quoted(bench.root)}]`);
      mkdirSync(join(bench.root, "config"));
      expect(await writing(client, join(bench.root, "config", "holt"))).toMatchObject({ code: "EDENIED" });
      mkdirSync(join(bench.root, "config", "holt"));
      symlinkSync(settings, join(bench.root, "config", "holt", "config.toml"));
      expect(await writing(client, settings)).toMatchObject({ code: "EDENIED" });
      await client.call("fs.write_file", { path: join(dirname(settings), "other.toml"), data: EMPTY });
      expect(readFileSync(settings, "utf8")).toContain("roots");
    });
  });

  // With fs.roots at the state directory itself, `owner-token` and `tokens.json` were read and
  // overwritten: the list of holt's own files lacked them, and a caller of the socket got past the
  // policy with a key to everything.
  test("includes all of the state directory, also if it is a root or contains one", async () => {
    using bench = Bench.withDaemon();
    const below = join(bench.state, "sub");
    mkdirSync(below, { recursive: true });
    bench.env["HOLT_FS_ROOTS"] = `${bench.state}:${below}`;
    await bench.run(["daemon"]);
    try {
      const call = async (method: string, params: object) =>
        JSON.parse((await bench.run(["call", method, JSON.stringify(params)])).text) as Record<string, unknown>;
      const refused = { error: { code: "EDENIED", details: { path: expect.stringContaining(bench.state) } } };
      writeFileSync(join(bench.state, "a-file-of-tomorrow"), "secret");
      for (const name of [
        "owner-token",
        "tokens.json",
        "a-file-of-tomorrow",
        "sub/x",
        "approvals",
        "holt.db",
        "run/x",
      ]) {
        const path = join(bench.state, name);
        expect(await call("fs.write_file", { path, data: EMPTY })).toMatchObject(refused);
        if (existsSync(path)) expect(await call("fs.read_file", { path })).toMatchObject(refused);
      }
      expect(await call("fs.read_file", { path: join(bench.state, "a-file-of-tomorrow") })).toMatchObject(refused);
      for (const path of [bench.state, below]) expect(await call("fs.list", { path })).toMatchObject(refused);
    } finally {
      await bench.run(["daemon", "stop"]);
    }
  });
});

describe("With rules for commands", () => {
  /** With `allow = ["DIR"]` a caller wrote DIR/x with mode 0755 and started it. */
  test("no file is written that they would allow to start", async () => {
    await withDaemon(async (client, bench) => {
      const [tools, own, links] = ["tools", "own", "links"].map((name) => join(bench.root, name)) as [
        string,
        string,
        string,
      ];
      for (const directory of [join(tools, "deep"), own, links]) mkdirSync(directory, { recursive: true });
      writeFileSync(join(own, "script"), "#!/bin/sh\n", { mode: 0o755 });
      symlinkSync(tools, join(bench.root, "same"));
      symlinkSync("../own/script", join(links, "linked"));
      const allow = [tools, join(own, "script"), join(own, "later"), join(links, "linked"), "holt-test-command"];
      configure(bench, `policy.allow = ${quoted(allow)}\nfs.roots = [${quoted(bench.root)}]`);
      for (const path of [`${tools}/x`, `${tools}/deep/x`, `${own}/../tools/x`, `${own}/script`, `${own}/later`])
        expect([path, await writing(client, path)]).toMatchObject([
          path,
          { code: "EDENIED", details: { rule: expect.stringMatching(/^policy\.allow "/) } },
        ]);
      expect(await writing(client, `${bench.root}/same/x`)).toMatchObject({ code: "EDENIED" });
      expect(readdirSync(tools)).toEqual(["deep"]);
      await client.call("fs.write_file", { path: `${own}/other`, data: EMPTY });
    });
  });

  test("no file is written to a directory of PATH", async () => {
    using bench = Bench.withDaemon();
    const bin = join(bench.root, "bin");
    mkdirSync(bin);
    bench.env["PATH"] = `${bin}:${process.env["PATH"]}`;
    await bench.run(["daemon"]);
    try {
      using client = await dial(bench);
      configure(bench, `policy.allow = ["true"]\nfs.roots = [${quoted(bench.root)}]`);
      expect(await writing(client, join(bin, "true"))).toMatchObject({
        code: "EDENIED",
        details: { rule: 'policy.allow "true"' },
      });
      await client.call("exec.run", { args: ["true"] });
      expect(readdirSync(bin)).toEqual([]);
    } finally {
      await end(bench);
    }
  });

  test("files are served below configured roots only", async () => {
    await withDaemon(async (client, bench) => {
      const [work, other] = ["work", "other"].map((name) => join(bench.root, name)) as [string, string];
      for (const directory of [work, other]) mkdirSync(directory);
      configure(bench, 'policy.allow = ["true"]');
      expect(await writing(client, join(work, "x"))).toMatchObject({ code: "EDENIED", details: { roots: [] } });
      configure(bench, `policy.roots = [${quoted(work)}]`);
      await client.call("fs.write_file", { path: join(work, "x"), data: EMPTY });
      expect(await writing(client, join(other, "x"))).toMatchObject({ code: "EDENIED", details: { roots: [work] } });
      configure(bench, `policy.roots = [${quoted(work)}]\nfs.roots = [${quoted(bench.root)}]`);
      await client.call("fs.write_file", { path: join(work, "y"), data: EMPTY });
      for (const refused of [
        await writing(client, join(other, "y")),
        await failure(client.call("fs.list", { path: other })),
        await failure(client.call("fs.list", { path: bench.root })),
      ])
        expect(refused).toMatchObject({ code: "EDENIED", details: { rule: "policy.roots" } });
      configure(bench, "fs.roots = []");
      expect(await writing(client, join(work, "z"))).toMatchObject({ code: "EDENIED", details: { roots: [] } });
    });
  });
});

// A channel can be any file: with `allow = ["sleep"]` a caller could follow the audit or a log of
// the user.
test("With rules, a channel cannot read a file that is not served", async () => {
  await withDaemon(async (client, bench) => {
    const work = join(bench.root, "work");
    mkdirSync(work);
    writeFileSync(join(bench.root, "log"), "");
    configure(bench, `[policy]\nallow = ["true"]\nroots = [${quoted(work)}]\n`);
    const run = (path: string) =>
      client.call("exec.run", {
        args: ["true"],
        cwd: work,
        channels: [{ name: "c", format: "raw", source: "file", path }],
      });
    for (const path of [join(bench.state, "log", "audit.jsonl"), join(bench.root, "log"), "../log", "../none/x"])
      expect([path, await failure(run(path))]).toMatchObject([path, { code: "EDENIED" }]);
    expect(await run("here")).toMatchObject({ exit_code: 0, channels: { c: "" } });
  });
});

/**
 * `session.export {path}` created a file anywhere, readable by all, and its rename replaced a file
 * created since the check.
 */
describe("An export", () => {
  test("is written below the roots, for the user alone, and replaces no file", async () => {
    await withDaemon(async (client, bench) => {
      const [root, outside] = ["root", "outside"].map((name) => join(bench.root, name)) as [string, string];
      for (const directory of [root, outside]) mkdirSync(directory);
      configure(bench, `fs.roots = [${quoted(root)}]`);
      symlinkSync("../outside", join(root, "out"));
      const { session_id } = await client.call("exec.run", { args: ["echo", "hello"] });
      const made = (path: string) => client.call("session.export", { session_id, format: "text", path });
      for (const path of [`${outside}/x`, `${root}/../outside/x`, `${root}/out/x`, `${bench.state}/x`])
        expect([path, await failure(made(path))]).toMatchObject([path, { code: "EDENIED" }]);
      expect(readdirSync(outside)).toEqual([]);
      await made(join(root, "x"));
      expect(readFileSync(join(root, "x"), "utf8")).toBe("hello\n");
      expect(statSync(join(root, "x")).mode & 0o777).toBe(0o600);
      symlinkSync("nowhere", join(root, "dangling"));
      for (const name of ["x", "dangling"])
        expect(await failure(made(join(root, name)))).toMatchObject({ code: "EEXISTS" });
      expect(readdirSync(root).toSorted()).toEqual(["dangling", "out", "x"]);
    });
  });

  test("leaves a file that was created meanwhile, and no draft", async () => {
    await withDaemon(async (client, bench) => {
      configure(bench, `fs.roots = [${quoted(bench.root)}]`);
      const { session_id } = await client.call("exec.run", { args: ["seq", "300000"], max_bytes: 0 });
      const path = join(bench.root, "late.txt");
      const making = failure(client.call("session.export", { session_id, format: "text", path }));
      const isBegun = () => readdirSync(bench.root).some((name) => name.startsWith(".holt-"));
      while (!isBegun() && !existsSync(path)) await Bun.sleep(0);
      writeFileSync(path, "mine", { flag: "wx" });
      expect(await making).toMatchObject({ code: "EEXISTS", message: expect.stringContaining(basename(path)) });
      expect(readFileSync(path, "utf8")).toBe("mine");
      expect(isBegun()).toBe(false);
    });
  });
});
