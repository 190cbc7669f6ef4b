import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { size } from "../chaos/size.ts";
import { failure } from "../client/failure.ts";
import { dial } from "../daemon/household.ts";
import { expectGolden } from "./golden.ts";
import { base64, withRoot } from "./served-root.ts";

/** With openat2, and without it. */
const WAYS = [
  ["in one step", {}],
  ["part by part", { HOLT_NO_OPENAT2: "1" }],
] as const;

describe.each(WAYS)("opened %s", (_way, env) => {
  test("a file is written, read back byte for byte, by ranges, and listed", async () => {
    await withRoot(env, async ({ client, root }) => {
      const path = join(root, "deep", "file");
      mkdirSync(join(root, "deep", "dir"), { recursive: true });
      const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
      const written = await client.call("fs.write_file", { path, data: base64(bytes) });
      expect(written).toEqual({ bytes: 100_000 });
      expectGolden("fs.write_file", written);
      expect(readFileSync(path)).toEqual(Buffer.from(bytes));
      expect(statSync(path).mode & 0o777).toBe(0o644);
      const first = await client.call("fs.read_file", { path });
      expect(first).toMatchObject({ size: 100_000, offset: 0, truncated: true, mode: "0644" });
      const rest = await client.call("fs.read_file", { path, offset: 65_536 });
      expect(rest).toMatchObject({ offset: 65_536, truncated: false });
      expect(Buffer.concat([first, rest].map(({ data }) => Buffer.from(data, "base64")))).toEqual(Buffer.from(bytes));
      expectGolden("fs.read_file", await client.call("fs.read_file", { path, offset: 7, max_bytes: 3 }));
      for (const [offset, max_bytes] of [
        [100_000, 10],
        [200_000, 10],
        [5, 0],
      ] as const)
        expect((await client.call("fs.read_file", { path, offset, max_bytes })).data).toBe("");
      symlinkSync("file", join(root, "deep", "link"));
      const listed = await client.call("fs.list", { path: join(root, "deep") });
      expect(listed.entries.map(({ name, type }) => [name, type])).toEqual([
        ["dir", "dir"],
        ["file", "file"],
        ["link", "link"],
      ]);
      expectGolden("fs.list", { ...listed, entries: listed.entries.map((entry) => ({ ...entry, size: "<number>" })) });
      const page = await client.call("fs.list", { path: join(root, "deep/"), offset: 1, limit: 1 });
      expect(page).toMatchObject({ entries: [{ name: "file", size: 100_000 }], total_count: 3, truncated: true });
    });
  });

  test("a write replaces the file as a whole, keeps its mode or sets it, and leaves nothing behind", async () => {
    await withRoot(env, async ({ client, root }) => {
      const path = join(root, "script");
      writeFileSync(path, "old");
      chmodSync(path, 0o750);
      linkSync(path, join(root, "twin"));
      await client.call("fs.write_file", { path, data: base64("new") });
      expect(statSync(path).mode & 0o777).toBe(0o750);
      expect([readFileSync(path, "utf8"), readFileSync(join(root, "twin"), "utf8")]).toEqual(["new", "old"]);
      await client.call("fs.write_file", { path, data: "", mode: "0600" });
      expect([statSync(path).mode & 0o777, statSync(path).size]).toEqual([0o600, 0]);
      expect(readdirSync(root).toSorted()).toEqual(["script", "twin"]);
    });
  });

  test("nothing leads outside: no name, no dots, no symlink", async () => {
    await withRoot(env, async ({ client, root, outside }) => {
      symlinkSync(outside, join(root, "absolute"));
      symlinkSync("../outside", join(root, "relative"));
      symlinkSync("../outside/secret", join(root, "file"));
      symlinkSync("../outside/new", join(root, "dangling"));
      symlinkSync("/proc/self/root", join(root, "magic"));
      symlinkSync("loop", join(root, "loop"));
      const ways = [
        join(outside, "secret"),
        `${root}/../outside/secret`,
        `${root}x/secret`,
        `${root}/absolute/secret`,
        `${root}/relative/secret`,
        `${root}/file`,
        `${root}/magic${outside}/secret`,
        `${root}/loop`,
        "/proc/self/environ",
        `/proc/self/root${root}/x`,
      ];
      for (const path of ways) {
        expect([path, await failure(client.call("fs.read_file", { path }))]).toMatchObject([path, { code: "EDENIED" }]);
        const writing = client.call("fs.write_file", { path, data: base64("bad") });
        expect([path, await failure(writing)]).toMatchObject([path, { code: "EDENIED" }]);
      }
      for (const path of [outside, `${root}/..`, `${root}/absolute`, `${root}/relative`, "/"])
        expect([path, await failure(client.call("fs.list", { path }))]).toMatchObject([path, { code: "EDENIED" }]);
      const dangling = client.call("fs.write_file", { path: `${root}/dangling`, data: "" });
      expect(await failure(dangling)).toMatchObject({ code: "EDENIED" });
      expect(readdirSync(outside)).toEqual(["secret"]);
      expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    });
  });

  test("what is not there or is no file is named as such, and a FIFO holds up nobody", async () => {
    await withRoot(env, async ({ client, bench, root }) => {
      writeFileSync(join(root, "file"), "x");
      mkdirSync(join(root, "dir"));
      await bench.shell(`mkfifo '${root}/fifo'`);
      const read = (name: string) => failure(client.call("fs.read_file", { path: `${root}/${name}` }));
      const write = (name: string) => failure(client.call("fs.write_file", { path: `${root}/${name}`, data: "" }));
      const list = (name: string) => failure(client.call("fs.list", { path: `${root}/${name}` }));
      for (const refused of [await read("none"), await write("none/x"), await list("none")])
        expect(refused).toMatchObject({
          code: "ENOTFOUND",
          message: expect.stringMatching(/none(?:\/x)?: no such file$/),
        });
      const long = "n".repeat(300);
      for (const refused of [
        await read("dir"),
        await read("file/x"),
        await read("fifo"),
        await read(long),
        await write("dir"),
        await write("dir/"),
        await write("fifo"),
        await write("file/x"),
        await write(".."),
        await write(long),
        await list("file"),
        await failure(client.call("fs.read_file", { path: "file" })),
        await failure(client.call("fs.read_file", { path: `${root}/a\0b` })),
        await failure(client.call("fs.write_file", { path: `${root}/x`, data: "", mode: "u+x" })),
        await failure(
          client.call("fs.write_file", { path: `${root}/x`, data: base64(new Uint8Array(4 * 1024 * 1024 + 1)) }),
        ),
      ])
        expect(refused).toMatchObject({ code: "EBADARGS" });
      expect(readdirSync(root).toSorted()).toEqual(["dir", "fifo", "file"]);
    });
  });

  // Each answer must be the file below the root, or a refusal: never what lies outside, and nothing may be written there.
  test("a directory and a symlink that take turns lead nobody out", async () => {
    await withRoot(env, async ({ client, bench, root, outside }) => {
      const [place, aside, link] = [join(root, "place"), join(root, "aside"), join(root, "trap")];
      mkdirSync(place);
      writeFileSync(join(place, "secret"), "inside");
      symlinkSync("../outside", link);
      const swapper = Bun.spawn(
        [
          "sh",
          "-c",
          'while :; do mv -T "$1" "$2"; mv -T "$3" "$1"; mv -T "$1" "$3"; mv -T "$2" "$1"; done',
          "sh",
          place,
          aside,
          link,
        ],
        { stdout: "ignore", stderr: "ignore" },
      );
      const seen = new Map<string, number>();
      const count = (outcome: string): void => void seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      try {
        for (let i = 0; i < size(400, 10_000); i++) {
          const path = join(place, "secret");
          await client.call("fs.read_file", { path }).then(
            ({ data }) => count(Buffer.from(data, "base64").toString()),
            ({ code }: { code: string }) => count(code),
          );
          await client.call("fs.write_file", { path: join(place, "written"), data: base64("w") }).then(
            () => count("written"),
            ({ code }: { code: string }) => count(code),
          );
          await client.call("fs.list", { path: place }).then(
            ({ entries }) =>
              count(
                entries.length === 2 || entries.every(({ name }) => name !== "secret")
                  ? "listed"
                  : `listed ${entries.length}`,
              ),
            ({ code }: { code: string }) => count(code),
          );
        }
      } finally {
        swapper.kill("SIGKILL");
        await swapper.exited;
      }
      expect(
        [...seen.keys()].filter(
          (outcome) =>
            !["inside", "written", "ENOTFOUND", "EDENIED"].includes(outcome) && !outcome.startsWith("listed"),
        ),
      ).toEqual([]);
      expect(seen.get("inside") ?? 0).toBeGreaterThan(0);
      expect(seen.get("written") ?? 0).toBeGreaterThan(0);
      expect(readdirSync(outside)).toEqual(["secret"]);
      expect(bench.daemonPid).not.toBeNull();
    });
  }, 300_000);

  // A reader used to be the way to half a file, where a write is a truncation and then bytes.
  test("a reader never sees half a write", async () => {
    await withRoot(env, async ({ client, bench, root }) => {
      const path = join(root, "file");
      const contents = ["a", "b"].map((letter) => base64(letter.repeat(200_000)));
      await client.call("fs.write_file", { path, data: contents[0] ?? "" });
      using other = await dial(bench);
      const writing = (async () => {
        for (let i = 0; i < size(40, 500); i++)
          await other.call("fs.write_file", { path, data: contents[i % 2] ?? "" });
      })();
      const writers = new Set([writing]);
      void writing.finally(() => writers.clear());
      while (writers.size > 0) {
        const { data } = await client.call("fs.read_file", { path, max_bytes: 1_000_000 });
        expect(contents.includes(data)).toBe(true);
      }
      await writing;
    });
  });
});
