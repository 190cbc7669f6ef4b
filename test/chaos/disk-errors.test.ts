/**
 * A disk that fails, at every write in turn. The command must not notice: it ends as it ends and everything it prints is shown.
 * What could be captured is captured, and what could not is told as a gap, exactly.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bench, collect, HOLT } from "../support/holt.ts";
import { type Fault, runWithFault, withFault } from "./faults.ts";
import { inParallel, size, until } from "./size.ts";
import { expectCovers, type Stored } from "./transcript-check.ts";

const AT_ONCE = 4;
const ERRNOS = ["ENOSPC", "EIO", "EDQUOT"];
const LINES = Array.from({ length: 10 }, (_, i) => `line ${i} of what is known\n`);
const PRINTED = LINES.join("");
/** Over more than the 100 ms after which a failed write is tried again; at full size so far apart that a busy machine reads, and writes, each by itself. */
const SCRIPT = `touch started; for i in 0 1 2 3 4 5 6 7 8 9; do echo "line $i of what is known"; sleep ${size(0.03, 0.15)}; done; exit 7`;
const COMMAND = ["--session-id", "x", "--", "sh", "-c", SCRIPT];

function artifact(bench: Bench, name: string): string {
  return join(bench.state, "sessions", "x", name);
}

/** Each pattern with each errno in turn; at full size each with all of them. */
function faultsOf(calls: string, patterns: string[]): Fault[] {
  return patterns.flatMap((when, i) =>
    (size(1, 3) === 1 ? [ERRNOS[i % 3] ?? ""] : ERRNOS).map((errno) => ({ calls, errno, when })),
  );
}

function upTo(most: number, pattern: (n: number) => string): string[] {
  return Array.from({ length: most }, (_, i) => pattern(i + 1));
}

/** The command ended as it does, all was shown, and every reader copes with what is on disk. */
async function runAndCheck(fault: Fault, bench: Bench): Promise<Stored> {
  const told = JSON.stringify(fault);
  const result = await runWithFault(bench, fault, COMMAND);
  expect({ told, code: result.exitCode, text: result.text, stderr: result.stderr }).toEqual({
    told,
    code: 7,
    text: PRINTED,
    stderr: "",
  });
  expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 7, output_complete: true });
  const stored = expectCovers(bench, "x", Buffer.from(PRINTED));
  const shown = await bench.run(["show", "--json", "x"]);
  expect(JSON.parse(shown.text)).toMatchObject({ state: "exited", truncated: stored.gaps.length > 0 });
  return stored;
}

describe("while the command runs, what fails is a write to", () => {
  test("output.bin, twice in a row: the bytes of that moment are a gap, and capture goes on", async () => {
    const faults = faultsOf(
      "pwrite64",
      upTo(size(4, 10), (n) => `${n}..${n + 1}`),
    );
    await inParallel(faults.length, AT_ONCE, async (i) => {
      using bench = new Bench();
      const path = artifact(bench, "output.bin");
      const { gaps } = await runAndCheck({ calls: "pwrite64", errno: "ENOSPC", when: "1", ...faults[i], path }, bench);
      expect(gaps.length).toBe(1);
      expect(gaps[0]?.to).toBeLessThan(PRINTED.length + 1);
      const told = bench.events("x").filter(({ type }) => type === "gap");
      expect(told[0]).toMatchObject({ from: gaps[0]?.from, to: null, cause: faults[i]?.errno });
      if ((gaps[0]?.to ?? 0) < PRINTED.length) expect(told[1]).toMatchObject({ ...gaps[0] });
    });
  });

  test("output.bin, once: it is tried again at once and nothing is lost", async () => {
    const faults = faultsOf("pwrite64", upTo(size(2, 10), String));
    await inParallel(faults.length, AT_ONCE, async (i) => {
      using bench = new Bench();
      const path = artifact(bench, "output.bin");
      const { gaps } = await runAndCheck({ calls: "pwrite64", errno: "EIO", when: "1", ...faults[i], path }, bench);
      expect(gaps).toEqual([]);
    });
  });

  test("output.bin, from some moment on: everything after it is a gap", async () => {
    const faults = faultsOf(
      "pwrite64",
      upTo(size(3, 10), (n) => `${n}+`),
    );
    await inParallel(faults.length, AT_ONCE, async (i) => {
      using bench = new Bench();
      const path = artifact(bench, "output.bin");
      const { gaps } = await runAndCheck({ calls: "pwrite64", errno: "EIO", when: "1", ...faults[i], path }, bench);
      expect(gaps.length).toBe(1);
      expect(gaps[0]?.to).toBe(PRINTED.length);
    });
  });

  test.each(["index.jsonl", "events.jsonl"])("%s, at any moment or for good: no byte is lost", async (name) => {
    const patterns = [...upTo(size(3, 12), String), ...upTo(size(2, 12), (n) => `${n}+`), "1+2"];
    const faults = faultsOf("pwrite64", patterns);
    await inParallel(faults.length, AT_ONCE, async (i) => {
      using bench = new Bench();
      const path = artifact(bench, name);
      const { gaps } = await runAndCheck({ calls: "pwrite64", errno: "EIO", when: "1", ...faults[i], path }, bench);
      expect(gaps).toEqual([]);
    });
  });
});

/**
 * Found here: the second write of `meta.json`, the first with the pid, failed when the command ran already. holt said "cannot execute",
 * exited 126, and left the command running with nobody to read its output. And a `final.json` that could not be
 * written or synced made holt exit 125 where the command had ended well.
 */
describe("whichever call fails on the way", () => {
  const CALLS: [calls: string, most: number][] = [
    ["pwrite64", size(9, 24)],
    ["renameat", size(3, 4)],
    ["fsync", size(2, 4)],
    ["ftruncate", size(8, 8)],
    ["openat", size(12, 30)],
    ["mkdirat", 1],
    ["flock", size(2, 8)],
    ["bind", 1],
  ];

  test.each(CALLS)("%s: the command was never started, or runs and ends as it does", async (calls, most) => {
    const faults = faultsOf(calls, [...upTo(most, String), ...upTo(most, (n) => `${n}+`)]);
    await inParallel(faults.length, AT_ONCE, async (i) => {
      using bench = new Bench();
      // Once without a fault, so that the directories are there and only the session's own are left to be made.
      await bench.run(["run", "--session-id", "before", "--", "true"]);
      const fault = { calls, errno: "EIO", when: "1", ...faults[i] };
      const inSession = calls === "openat" ? { path: join(bench.state, "sessions", "x") } : {};
      const told = JSON.stringify(fault);
      const { exitCode, text, stderr } = await runWithFault(bench, { ...fault, ...inSession }, COMMAND);
      if (existsSync(join(bench.root, "started"))) {
        expect({ told, exitCode, text, stderr }).toEqual({ told, exitCode: 7, text: PRINTED, stderr: "" });
      } else {
        expect({ told, exitCode, text }).toEqual({ told, exitCode: 125, text: "" });
        expect(stderr).toContain("the command was not started");
        // Nor was the id used up.
        expect((await bench.run(["run", "--session-id", "x", "--", "true"])).exitCode).toBe(0);
      }
      const listed = await bench.run(["ls", "--all", "--json"]);
      expect({ told, code: listed.exitCode, stderr: listed.stderr }).toEqual({ told, code: 0, stderr: "" });
      expect(listed.text).toContain('"before"');
    });
  });
});

/** `final.json` had its name before its bytes were on disk: after a power cut in between there was a record of nothing but newlines, and the session looked lost. */
test("final.json is on disk before it has its name, and the name after that", async () => {
  using bench = new Bench();
  const trace = join(bench.root, "trace");
  const calls = "trace=fsync,fdatasync,rename,renameat,renameat2";
  const strace = ["strace", "-f", "-y", "-qqq", "-e", "signal=none", "-o", trace, "-e", calls];
  const { exitCode } = await collect([...strace, HOLT, "run", "--session-id", "x", "--", "true"], {
    stdin: "",
    env: bench.env,
    cwd: bench.root,
  });
  expect(exitCode).toBe(0);
  const told = readFileSync(trace, "utf8").split("\n");
  const named = told.findIndex((line) => line.includes('"final.json"'));
  const [, draft] = /"(\.draft-[^"]+)"/.exec(told[named] ?? "") ?? [];
  const synced = told.findIndex((line) => /f(?:data)?sync\(/.test(line) && line.includes(draft ?? "no draft"));
  const kept = told.findLastIndex((line) => /fsync\(\d+<[^>]*\/sessions\/x>\)/.test(line));
  expect([synced >= 0 && synced < named, named < kept]).toEqual([true, true]);
});

describe("what happens on the side", () => {
  /** Found by a reviewer: a lock that could not be opened was taken for one that nobody holds. */
  test("a removal that cannot ask whether a session lives leaves it alone", async () => {
    using bench = new Bench();
    const held = Bun.spawn(
      [HOLT, "run", "--session-id", "x", "--", "sh", "-c", "until [ -e go ]; do sleep 0.02; done; exit 7"],
      {
        env: bench.env,
        cwd: bench.root,
        stdio: ["ignore", "ignore", "ignore"],
      },
    );
    const directory = join(bench.state, "sessions", "x");
    await until("it runs", () => existsSync(join(directory, "meta.json")) && bench.meta("x").process !== null);
    const fault = { calls: "openat", errno: "EMFILE", when: "1+", path: join(directory, "append.lock") };
    const { exitCode, stderr } = await withFault(bench, fault, ["rm", "x"]);
    expect({ exitCode, said: stderr.startsWith("holt: ") }).toEqual({ exitCode: 1, said: true });
    expect(existsSync(bench.meta("x").socket ?? "")).toBe(true);
    writeFileSync(join(bench.root, "go"), "");
    expect(await held.exited).toBe(7);
    expect(bench.final("x").exit_code).toBe(7);
  });

  /** Found by a reviewer: a sweep that could not open /dev/null took the place of the command's exit code. */
  test.each(["exit 7", "sleep 0.3; exit 7"])(
    "a sweep that cannot be started is nobody's business: %s",
    async (script) => {
      using bench = new Bench();
      const fault = { calls: "open,openat", errno: "EMFILE", when: "1+", path: "/dev/null" };
      expect(await runWithFault(bench, fault, ["--", "sh", "-c", script])).toMatchObject({
        text: "",
        stderr: "",
        exitCode: 7,
      });
    },
  );
});
