/** What `fs.*` does about links, names, disks and roots that are out of the ordinary. */
import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { failure } from "../client/failure.ts";
import { end } from "../daemon/household.ts";
import { RawCaller, request } from "../daemon/raw-caller.ts";
import { Bench } from "../support/holt.ts";
import { base64, withRoot } from "./served-root.ts";

test("symlinks that stay inside are followed by a read, and not replaced by a write", async () => {
  await withRoot({}, async ({ client, root }) => {
    mkdirSync(join(root, "a"));
    writeFileSync(join(root, "a", "file"), "here");
    symlinkSync("a", join(root, "b"));
    symlinkSync("../a/file", join(root, "a", "again"));
    for (const path of [`${root}/b/file`, `${root}/b/again`, `${root}/a/../a/file`])
      expect((await client.call("fs.read_file", { path })).data).toBe(base64("here"));
    const writing = client.call("fs.write_file", { path: `${root}/a/again`, data: "" });
    expect(await failure(writing)).toMatchObject({ code: "EDENIED" });
    expect(lstatSync(`${root}/a/again`).isSymbolicLink()).toBe(true);
    await client.call("fs.write_file", { path: `${root}/b/new`, data: "" });
    expect(existsSync(join(root, "a", "new"))).toBe(true);
  });
});

test("names need not be UTF-8, and come back as they were given", async () => {
  await withRoot({}, async ({ client, root }) => {
    const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x6f, 0xff])]);
    writeFileSync(name, "odd");
    const { entries } = await client.call("fs.list", { path: root });
    const path = `${root}/${entries[0]?.name}`; // join() would not leave it as it is
    expect((await client.call("fs.read_file", { path })).data).toBe(base64("odd"));
  });
});

test("a full disk is told, and leaves the old file", async () => {
  await withRoot({}, async ({ client, bench, root }) => {
    if ((await bench.shell(`mount -t tmpfs -o size=64k tmpfs '${root}'`)).exitCode !== 0) return; // not for everybody
    try {
      const path = join(root, "file");
      await client.call("fs.write_file", { path, data: base64("old") });
      const writing = client.call("fs.write_file", { path, data: base64(new Uint8Array(200_000)) });
      expect(await failure(writing)).toMatchObject({ code: "EIO", details: { errno: "ENOSPC" } });
      expect(readdirSync(root)).toEqual(["file"]);
      expect(readFileSync(path, "utf8")).toBe("old");
    } finally {
      await bench.shell(`umount '${root}'`);
    }
  });
});

test("without being told, the home directory and /tmp are served; the old names do too", async () => {
  using bench = Bench.withDaemon();
  const home = join(bench.root, "home");
  mkdirSync(home);
  await bench.run(["daemon"], { env: { HOME: home } });
  try {
    using caller = await RawCaller.dial(bench);
    await caller.write(request(1, "fs.writeFile", { path: join(home, "x"), data: base64("x") }));
    expect(await caller.next()).toMatchObject({ result: { bytes: 1 } });
    await caller.write(request(2, "fs.readFile", { path: join(home, "x"), max_bytes: 10 }));
    expect(await caller.next()).toMatchObject({ result: { data: base64("x"), size: 1, truncated: false } });
    await caller.write(request(3, "fs.list", { path: "/tmp", limit: 1 }));
    expect(await caller.next()).toMatchObject({ result: { truncated: true } });
    await caller.write(request(4, "fs.list", { path: "/etc" }));
    expect(await caller.next()).toMatchObject({ error: { data: { code: "EDENIED" } } });
    renameSync(join(home, "x"), join(home, "y"));
    await caller.write(request(5, "fs.list", { path: home }));
    expect(await caller.next()).toMatchObject({ result: { entries: [{ name: "y" }] } });
  } finally {
    await end(bench);
  }
});
