// Runs the tests: each file in a bun of its own, as many files at a time as there are cores, and beside them one of those that mostly wait.
//
//   bun scripts/run-tests.ts [PART OF A PATH...] [-t PART OF A TITLE] [--record]
//
// The longest files run first, by the seconds that scripts/test-seconds.json has of them; `--record` writes that file anew.
//
// A file of which a test failed is run once more when nothing else runs: machines are shared, and what a busy one does to a real terminal or browser
// is no verdict on the change at hand. That it passed only then is told before the sum, as a fault to be looked into. Past two such files, in a soak, and
// where something was left behind, nothing is run again.
//
// A file gets its own TMPDIR and its own mark in the environment, so that a process or a file left behind is
// found, named and counted as a failure of the file that left it. Last line: `N passed, N failed[, N skipped]`.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Outcome, runTestFile } from "./test-file.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "test-name-pattern": { type: "string", short: "t" }, record: { type: "boolean", default: false } },
});
const root = join(import.meta.dir, "..");
const soak = process.env.HOLT_SOAK === "1";
const jobs = Number(process.env.HOLT_TEST_JOBS ?? (soak ? 1 : availableParallelism()));

/** For what takes its time by itself: a daemon that is given up, a client that is let go. They cost the others next to nothing. */
const MOSTLY_WAITING =
  `page/loss daemon/silent-daemon chaos/frozen-client http/patience e2e/restart e2e/attach-settings web/idle
  daemon/ready-holder-ended client/match-cursor http/metrics e2e/wait-input shell/exec-lost exec/exec.test
  e2e/attach-ends chaos/stopped-helpers shell/exec.test shell/prompt-drawn e2e/attach-unheard chaos/web-slow-clients
  daemon/vanished e2e/run-tree mcp/end-of-input web/tokens chaos/changed-clock-sessions`.split(/\s+/);

const SECONDS_FILE = join(root, "scripts/test-seconds.json");
/** Shorter files are not recorded. */
const MIN_SECONDS = 2;
const recorded = JSON.parse(readFileSync(SECONDS_FILE, "utf8")) as Readonly<Record<string, number>>;

const files = [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: root })]
  .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part.replace(/^\.\//, ""))))
  // Started last, a long one would end alone.
  .toSorted((a, b) => (recorded[b] ?? 0) - (recorded[a] ?? 0));

// Short, because a unix socket's path below it may have 107 bytes at most; macOS's own is 49 long.
const scratch = mkdtempSync(process.platform === "win32" ? join(tmpdir(), "ht-") : "/tmp/ht-");
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());

/** So many failed files are run again. */
const MAX_AGAIN = 2;
const outcomes: Outcome[] = [];
const isWaiting = ([, file]: [number, string]): boolean => MOSTLY_WAITING.some((part) => file.includes(part));
const { beside = [], queue = [] } = Object.groupBy([...files.entries()], (entry) =>
  isWaiting(entry) && jobs > 1 ? "beside" : "queue",
);
const unknown = MOSTLY_WAITING.filter((part) => positionals.length === 0 && !files.some((file) => file.includes(part)));
if (unknown.length > 0) {
  console.error(`scripts/run-tests.ts: MOSTLY_WAITING names no file: ${unknown.join(" ")}`);
  process.exit(1);
}

async function work(left: [number, string][]): Promise<void> {
  for (let next = left.shift(); next && !stop.signal.aborted; next = left.shift()) {
    outcomes.push(await run(...next));
  }
}

async function run(number: number, file: string): Promise<Outcome> {
  const outcome = await runTestFile(file, {
    root,
    scratch: join(scratch, String(number)),
    title: values["test-name-pattern"],
    testLimitMs: soak ? 24 * 3600_000 : 60_000,
    fileLimitMs: soak ? Number.POSITIVE_INFINITY : 300_000,
    stop: stop.signal,
  });
  report(outcome);
  return outcome;
}

/** The names of those that passed this time. */
async function runAgain(): Promise<string[]> {
  const failed = outcomes.filter((outcome) => outcome.failed > 0);
  const hasLeft = failed.some(({ problems }) => problems.length > 0);
  if (soak || hasLeft || files.length === 1 || failed.length > MAX_AGAIN || stop.signal.aborted) return [];
  const passed: string[] = [];
  for (const [i, { file }] of failed.entries()) {
    console.log(`\n${file} failed beside others; once more, alone:`);
    const again = await run(files.length + i, file);
    if (again.failed > 0) continue;
    outcomes.splice(
      outcomes.findIndex((outcome) => outcome.file === file),
      1,
      again,
    );
    passed.push(file);
  }
  return passed;
}

/** The seconds of each file that ran, in the place of those recorded before. */
function record(): void {
  const seconds = { ...recorded, ...Object.fromEntries(outcomes.map(({ file, seconds: took }) => [file, took])) };
  const known = Object.entries(seconds).filter(([file, took]) => took >= MIN_SECONDS && existsSync(join(root, file)));
  const lines = known
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, took]) => `  "${file}": ${Math.round(took)}`);
  writeFileSync(SECONDS_FILE, `{\n${lines.join(",\n")}\n}\n`);
}

function report({ file, passed, failed, skipped, seconds, problems, output }: Outcome): void {
  const counts = `${passed} passed${failed ? `, ${failed} failed` : ""}${skipped ? `, ${skipped} skipped` : ""}`;
  console.log(`${failed ? "FAIL" : "ok  "} ${file}  ${counts}  ${seconds.toFixed(1)} s`);
  if (failed || files.length === 1) console.log(output.trimEnd());
  else for (const [line] of output.matchAll(/^!!! .*$/gm)) console.log(`     ${line}`); // what a file could not try
  for (const problem of problems) console.log(`     ${file}: ${problem}`);
}

// Whose own list is empty goes on with the other.
const workers = Array.from({ length: jobs }, () => work(queue).then(() => work(beside)));
await Promise.all(jobs > 1 ? [...workers, work(beside).then(() => work(queue))] : workers);
const onlyAlone = await runAgain();
if (values.record && values["test-name-pattern"] === undefined) record();
rmSync(scratch, { recursive: true, force: true });

const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, outcome) => total + count(outcome), 0);
const [passed, failed, skipped] = [sum((o) => o.passed), sum((o) => o.failed), sum((o) => o.skipped)];
const broken = outcomes.filter((outcome) => outcome.failed > 0);
if (broken.length > 0) console.log(`\nfailed:\n${broken.map(({ file }) => `  ${file}\n`).join("")}`);
if (onlyAlone.length > 0)
  console.log(`\npassed only alone, and wants looking into:\n${onlyAlone.map((file) => `  ${file}\n`).join("")}`);
if (files.length === 0) console.log(`no test file matches: ${positionals.join(" ") || "test/**/*.test.ts"}`);
if (stop.signal.aborted) console.log("interrupted");
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
process.exit(failed > 0 || passed === 0 || stop.signal.aborted ? 1 : 0);
