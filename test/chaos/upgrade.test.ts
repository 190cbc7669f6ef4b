/** The executable is replaced, or removed, under running sessions, those attached, a daemon and its warm holders. */
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, linkSync, mkdirSync, readlinkSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { collect, HOLT, type Result } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { end, warmHolders } from "../daemon/household.ts";
import { Detached, ECHO } from "./detached.ts";
import { size, until } from "./size.ts";

const SESSIONS = size(4, 50);

/** Installed as a package would: a file of its own at a path that everybody uses. */
class Installed extends Detached {
  readonly path = join(this.root, "bin", "holt");

  constructor() {
    super({ HOLT_NO_DAEMON: "" });
    mkdirSync(join(this.root, "bin"));
    copyFileSync(HOLT, this.path);
  }

  holt(...args: string[]): Promise<Result> {
    return collect([this.path, ...args], { stdin: "", env: this.env, cwd: this.root });
  }

  async begin(script: string, options: readonly string[] = []): Promise<string> {
    const { text, stderr, exitCode } = await this.holt(
      "start",
      "--cwd",
      this.root,
      ...options,
      "--",
      "bash",
      "-c",
      script,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return text.trim();
  }

  /** Another file is renamed over it. */
  upgrade(): void {
    const before = statSync(this.path).ino;
    copyFileSync(HOLT, `${this.path}.new`);
    renameSync(`${this.path}.new`, this.path);
    expect(statSync(this.path).ino).not.toBe(before);
  }

  isOfOldFile(pid: number): boolean {
    return readlinkSync(`/proc/${pid}/exe`).endsWith(" (deleted)");
  }
}

async function answers(bench: Installed, id: string, word: string): Promise<void> {
  expect(await bench.holt("send", id, "--text", word, "--enter")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await bench.holt("wait", id, "--until", `match=got ${word}`, "--since", "0")).toMatchObject({ exitCode: 0 });
}

test(`${SESSIONS} sessions, somebody attached, a chain and warm holders go on when another file is renamed over the executable`, async () => {
  using bench = new Installed();
  await bench.holt("daemon");
  const ids = await Promise.all(Array.from({ length: SESSIONS }, () => bench.begin(ECHO)));
  const [first = ""] = ids;
  const chain = "echo x >> runs; until [ -e go$(wc -l < runs) ]; do sleep 0.02; done; exit 1";
  await bench.begin(chain, ["--restart", "always", "--restart-delay", "1ms", "--name", "chain"]);
  const cli = { env: bench.env, cwd: bench.root, cols: 80, rows: 24 };
  await using before = new TerminalUser([bench.path, "attach", first], cli);
  await before.sees("ready");
  await until("holders wait", () => warmHolders(bench).length === 3);

  bench.upgrade();
  const daemon = bench.daemonPid ?? 0;
  expect([daemon, bench.holder(first), ...warmHolders(bench)].every((pid) => bench.isOfOldFile(pid))).toBe(true);

  before.type("as before\r");
  await before.sees("got as before");
  for (const id of ids) await answers(bench, id, "hello");
  await using after = new TerminalUser([bench.path, "attach", first], cli);
  await after.sees("got hello");
  after.type("from the new one\r");
  await Promise.all([before.sees("got from the new one"), after.sees("got from the new one")]);
  expect((await bench.holt("screen", first)).text).toContain("got from the new one");

  // What the old ones start: a command on a warm holder, more than there are of those, the next of a chain.
  const late = await Promise.all(Array.from({ length: 6 }, () => bench.begin(ECHO)));
  for (const id of late) await answers(bench, id, "late");
  await Bun.write(join(bench.root, "go1"), "");
  await until("the chain goes on", () => Bun.file(join(bench.root, "runs")).size === 4);

  expect(await bench.holt("daemon", "restart")).toMatchObject({ exitCode: 0 });
  await until("a new daemon is up", () => bench.daemonPid !== null && bench.daemonPid !== daemon);
  expect(bench.isOfOldFile(bench.daemonPid ?? 0)).toBe(false);
  for (const id of [...ids, ...late]) await answers(bench, id, "again");
  before.type("\x1cd");
  expect(await before.exit()).toEqual({ exitCode: 0, signal: null });
  expect(await bench.holt("stop", "chain", ...ids)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await bench.holt("kill", ...late)).toMatchObject({ exitCode: 0, stderr: "" });
  for (const id of ids) expect(bench.final(id).reason).toBe("stop_requested");
  await end(bench);
});

test("without any executable at its path sessions run on, and another copy drives and ends them", async () => {
  using bench = new Installed();
  const id = await bench.begin(ECHO);
  await bench.begin("sleep 600", ["--name", "sleeps"]);
  linkSync(bench.path, `${bench.path}-elsewhere`);
  rmSync(bench.path);
  expect(existsSync(bench.path)).toBe(false);
  expect(await bench.run(["send", id, "--text", "there", "--enter"])).toMatchObject({ exitCode: 0, stderr: "" });
  using watcher = await bench.watch(id);
  await watcher.sees("got there");
  expect((await bench.run(["screen", id])).text).toContain("got there");
  expect(await bench.run(["stop", id, "sleeps"])).toMatchObject({ exitCode: 0, stderr: "" });
  expect(bench.final(id).reason).toBe("stop_requested");
  await end(bench);
});
