/** A disk of one megabyte and a command that prints more. What does not fit is a gap; those who look on live see it all. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { follow, type FollowItem } from "../../src/client/read/follow.ts";
import { RotatedFile } from "../../src/platform/fs/rotated-file.ts";
import { layoutAt } from "../../src/transcript/layout.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { until } from "./size.ts";
import { expectCovers } from "./transcript-check.ts";

const MB = 1_000_000;
const BALLAST = 600_000;

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
  mkdirSync(bench.state);
  run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", bench.state);
});
afterEach(() => {
  run("umount", "-l", bench.state);
  bench[Symbol.dispose]();
});

function run(...argv: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(argv);
  if (exitCode !== 0) throw new Error(`${argv.join(" ")}: ${stderr.toString()}`);
}

/** Different everywhere, so that a byte at a wrong place is seen. */
function numbers(bytes: number): Buffer {
  const lines: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) length += lines.push(`${n} `.padStart(9)) && 9;
  return Buffer.from(lines.join("")).subarray(0, bytes);
}

function fillUp(name: string): void {
  Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(bench.state, name)}`, "bs=4096"], { stderr: "ignore" });
}

/** Everything that a follower on the holder's socket was told. */
async function followAll(id: string): Promise<FollowItem[]> {
  const items: FollowItem[] = [];
  for await (const item of follow({
    id,
    cursor: 0,
    signal: new AbortController().signal,
    layout: layoutAt(bench.state),
  }))
    items.push(item);
  return items;
}

describe("on a disk of 1 MiB", () => {
  /** Found by a breaker: what was done while the disk was full was missing from the audit for good. */
  test("lines that it does not take come when there is room again, each once and in order", () => {
    const path = join(bench.state, "lines");
    const lines = Array.from({ length: 2000 }, (_, n) => `${n} ${"x".repeat(n % 97)}\n`);
    {
      using file = new RotatedFile(path, { maxBytes: MB, keep: 1 });
      for (const line of lines.slice(0, 500)) file.append(line);
      fillUp("full");
      for (const line of lines.slice(500, 1500)) file.append(line);
      rmSync(join(bench.state, "full"));
      for (const line of lines.slice(1500)) file.append(line);
    }
    const kept = readFileSync(path, "latin1").split(/(?<=\n)/);
    expect(kept.filter((line) => /^\d+ x*\n$/.test(line) && lines.includes(line))).toEqual(lines);
    expect(kept.length - lines.length).toBeLessThanOrEqual(1); // the one that was cut
  });

  /** Found by a breaker: it was answered as done, and nobody found the session by its new name. */
  test("a session that cannot be renamed keeps its name, and that is said", async () => {
    const id = (await bench.run(["start", "--name", "old", "--", "cat"])).text.trim();
    fillUp("full");
    const refused = await bench.run(["rename", id, "new"]);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("cannot be renamed: ") });
    rmSync(join(bench.state, "full"));
    expect(bench.meta(id).name).toBe("old");
    expect(await bench.run(["rename", id, "new"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.meta(id).name).toBe("new");
    await bench.run(["kill", id]);
  });

  test("what does not fit is a gap, and capture goes on once there is room again", async () => {
    writeFileSync(join(bench.state, "ballast"), Buffer.alloc(BALLAST));
    const printed = numbers(5 * MB);
    const [first, rest] = [printed.subarray(0, 4_800_000), printed.subarray(4_800_000)];
    writeFileSync(join(bench.root, "first"), first);
    writeFileSync(join(bench.root, "rest"), rest);
    const script = `cat first; until [ -e go ]; do sleep 0.02; done; cat rest; exit 7`;
    const proc = Bun.spawn([HOLT, "run", "--session-id", "x", "--", "sh", "-c", script], {
      env: bench.env,
      cwd: bench.root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let shown = Buffer.alloc(0);
    const reading = (async () => {
      for await (const bytes of proc.stdout) shown = Buffer.concat([shown, bytes]);
    })();
    await until("the first part was shown", () => shown.length === first.length);
    rmSync(join(bench.state, "ballast"));
    await Bun.sleep(150); // failed writes are tried again after 100 ms
    writeFileSync(join(bench.root, "go"), "");
    const following = followAll("x");
    expect(await proc.exited).toBe(7);
    await reading;
    expect(shown.equals(printed)).toBe(true);

    const { gaps } = expectCovers(bench, "x", printed);
    expect(gaps.length).toBe(1);
    expect(gaps[0]?.from).toBeGreaterThan(200_000);
    expect(gaps[0]?.to).toBe(first.length);
    const told = bench.events("x").filter(({ type }) => type === "gap");
    expect(told).toMatchObject([
      { from: gaps[0]?.from, to: null, cause: "ENOSPC" },
      { ...gaps[0], cause: "ENOSPC" },
    ]);
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 7, output_complete: true, truncated: true });
    // Who came late has missed what is in the gap but for the last megabyte of it, and is told so.
    const items = await following;
    expect(items.at(-1)).toEqual({ type: "end", cursor: printed.length, state: "exited" });
    expectInOrder(items, printed);
  });

  test("a disk that stays full costs the end of the transcript, and nothing else", async () => {
    const printed = numbers(5 * MB);
    writeFileSync(join(bench.root, "all"), printed);
    const proc = Bun.spawn(
      [HOLT, "run", "--session-id", "x", "--", "sh", "-c", "until [ -e go ]; do sleep 0.02; done; cat all; exit 7"],
      { env: bench.env, cwd: bench.root, stdio: ["ignore", "pipe", "inherit"] },
    );
    await until("the session runs", () => existsSync(join(bench.state, "sessions", "x", "meta.json")));
    const following = followAll("x");
    const shown = new Response(proc.stdout).bytes();
    writeFileSync(join(bench.root, "go"), "");
    expect(await proc.exited).toBe(7);
    expect(Buffer.compare(await shown, printed)).toBe(0);
    fillUp("the-rest");
    expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 7, truncated: true, output_complete: true });
    const { gaps } = expectCovers(bench, "x", printed);
    expect(gaps.length).toBe(1);
    expect(gaps[0]?.to).toBe(printed.length);
    expectInOrder(await following, printed);
    const listed = await bench.run(["ls", "--all", "--json"]);
    expect(listed).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await bench.run(["rm", "x"])).exitCode).toBe(0);
  });

  test("a follower that keeps up sees every byte, captured or not", async () => {
    const printed = numbers(3 * MB);
    writeFileSync(join(bench.root, "all"), printed);
    const script = `until [ -e go ]; do sleep 0.02; done; i=0
      while [ $i -lt 60 ]; do dd if=all bs=50000 skip=$i count=1 status=none; sleep 0.005; i=$((i+1)); done`;
    const proc = Bun.spawn([HOLT, "run", "--session-id", "x", "--", "sh", "-c", script], {
      env: bench.env,
      cwd: bench.root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    await until("the session runs", () => existsSync(join(bench.state, "sessions", "x", "meta.json")));
    const following = followAll("x");
    writeFileSync(join(bench.root, "go"), "");
    expect(await proc.exited).toBe(0);
    const items = await following;
    expectInOrder(items, printed);
    expect(items.filter(({ type }) => type === "gap")).toEqual([]);
    expect(expectCovers(bench, "x", printed).gaps.length).toBe(1);
  });

  test("on a disk that is full from the start the command is not started, and holt says why", async () => {
    await bench.run(["run", "--", "true"]);
    fillUp("all-of-it");
    const result = await bench.run(["run", "--session-id", "x", "--", "touch", "started"]);
    expect(result).toMatchObject({ exitCode: 125, text: "" });
    expect(result.stderr).toContain("ENOSPC");
    expect(result.stderr).toContain("the command was not started");
    expect(existsSync(join(bench.root, "started"))).toBe(false);
  });

  test.each([1, 2, 3, 4, 5, 6, 8, 12])(
    "with %i pages left, the command runs and is shown, or is not started",
    async (pages) => {
      await bench.run(["run", "--", "true"]);
      writeFileSync(join(bench.state, "spare"), Buffer.alloc(pages * 4096));
      fillUp("all-but-that");
      rmSync(join(bench.state, "spare"));
      const result = await bench.run(["run", "--session-id", "x", "--", "sh", "-c", "touch started; echo hi; exit 7"]);
      if (existsSync(join(bench.root, "started"))) {
        expect(result).toMatchObject({ exitCode: 7, text: "hi\n", stderr: "" });
        expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 7 });
        expectCovers(bench, "x", Buffer.from("hi\n"));
      } else {
        expect(result).toMatchObject({ exitCode: 125, text: "" });
      }
    },
  );
});

/** Data and gaps follow each other without a hole or a repetition, and each byte is where it belongs. */
function expectInOrder(items: FollowItem[], printed: Buffer): void {
  let cursor = 0;
  for (const item of items) {
    if (item.type === "gap") {
      expect(item.from).toBe(cursor);
      cursor = item.to;
    } else if (item.type === "data") {
      expect(item.cursor).toBe(cursor);
      expect(printed.subarray(cursor, cursor + item.bytes.length).equals(item.bytes)).toBe(true);
      cursor += item.bytes.length;
    }
  }
  expect(cursor).toBe(printed.length);
}
