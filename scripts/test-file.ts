// One test file in one `bun test`, and what it left behind.

import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endLeftProcesses, leftFiles } from "./test-leaks.ts";

export type Outcome = {
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** What went wrong outside of the tests themselves: a leak, a crash, a time limit; each is in `failed`. */
  problems: string[];
  output: string;
};

export type Run = {
  root: string;
  /** A path that is this file's alone: the directory becomes its TMPDIR. */
  scratch: string;
  title: string | undefined;
  testLimitMs: number;
  fileLimitMs: number;
  stop: AbortSignal;
};

export async function runTestFile(file: string, run: Run): Promise<Outcome> {
  const started = performance.now();
  const log = `${run.scratch}.log`;
  const junit = `${run.scratch}.xml`;
  const mark = `${Math.random().toString(36).slice(2)}-${process.pid}`;
  mkdirSync(run.scratch);

  const fd = openSync(log, "w");
  const title = run.title === undefined ? [] : ["-t", run.title];
  const limits = ["--timeout", String(run.testLimitMs)];
  const child = Bun.spawn(
    [process.execPath, "test", ...limits, ...title, "--reporter=junit", `--reporter-outfile=${junit}`, `./${file}`],
    {
      cwd: run.root,
      env: testEnvironment(run, mark),
      // One file for both, so that they keep their order. No stdin and no controlling terminal, here as in CI.
      stdio: ["ignore", fd, fd],
      detached: true,
    },
  );
  closeSync(fd);
  const ended = await Promise.race([child.exited, limit(run)]);
  if (typeof ended === "string") {
    killGroup(child.pid);
    await child.exited;
  }

  const counts = countsOf(junit);
  const problems: string[] = [];
  if (typeof ended === "string") problems.push(ended);
  else if (counts === undefined) problems.push(`ended without results: ${child.signalCode ?? `exit ${ended}`}`);
  else if (ended !== 0 && counts.failed === 0) problems.push(`exit ${ended} with no failed test`);
  for (const left of await endLeftProcesses(mark)) problems.push(`left a process behind: ${left}`);
  for (const left of leftFiles(run.scratch)) problems.push(`left a file behind: ${left}`);

  return {
    file,
    passed: counts?.passed ?? 0,
    failed: (counts?.failed ?? 0) + problems.length,
    skipped: counts?.skipped ?? 0,
    seconds: (performance.now() - started) / 1000,
    problems,
    output: readFileSync(log, "utf8"),
  };
}

/** The user's environment without what would make holt or tmux inside a test find the user's own sessions. */
function testEnvironment({ root, scratch }: Run, mark: string): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([key]) => !/^(HOLT_(?!SOAK$|CHAOS_SEED$)|TMUX)/.test(key));
  return {
    ...Object.fromEntries(inherited),
    HOLT_TEST_RUN: mark, // daemons and holders keep only variables of this kind
    HOLT_BIN: join(root, process.platform === "win32" ? "dist/holt.exe" : "dist/holt"),
    // A test names its own; one that forgets writes here, and is told that it left files behind.
    HOLT_STATE_DIR: join(scratch, "state"),
    XDG_STATE_HOME: join(scratch, "xdg"),
    TMPDIR: scratch,
    // A shell that is killed while it reads the files of whoever runs the tests may leave a lock there, for which the next one waits.
    HOME: homeOf(scratch),
    TMUX_TMPDIR: scratch,
  };
}

/** Beside it: what programs leave there is theirs. */
function homeOf(scratch: string): string {
  const home = `${scratch}-home`;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".zshrc"), ""); // without one, zsh asks a new user what to put there
  return home;
}

function limit({ fileLimitMs, stop }: Run): Promise<string> {
  return new Promise((resolve) => {
    stop.addEventListener("abort", () => resolve("interrupted"), { once: true });
    if (Number.isFinite(fileLimitMs)) {
      setTimeout(() => resolve(`took longer than ${fileLimitMs / 1000} s`), fileLimitMs).unref();
    }
  });
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Ended by itself meanwhile.
  }
}

function countsOf(junit: string): Pick<Outcome, "passed" | "failed" | "skipped"> | undefined {
  let head: string | undefined;
  try {
    head = /<testsuites [^>]*>/.exec(readFileSync(junit, "utf8"))?.[0];
  } catch {
    return undefined;
  }
  if (head === undefined) return undefined;
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  return { passed: count("tests") - failed - count("skipped"), failed, skipped: count("skipped") };
}
