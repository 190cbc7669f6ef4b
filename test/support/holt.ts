/** The real executable, driven as a user would: with its own state directory, on pipes or on a real terminal. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../chaos/processes.ts";
import type { Final, Meta } from "../../src/protocol/types/session.ts";

export const HOLT = process.env["HOLT_BIN"] ?? new URL("../../dist/holt", import.meta.url).pathname;

export interface Result {
  stdout: Uint8Array;
  stderr: string;
  text: string;
  exitCode: number | null;
  signal: string | null;
}

/** A state directory of its own; everything in it goes with it. */
export class Bench implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "h-"));
  readonly state = join(this.root, "state");
  readonly env: Record<string, string>;

  /** Without a daemon, which would outlive the test; `withDaemon` is for those that test it. */
  constructor(extra: Record<string, string> = {}) {
    this.env = {
      ...inherited(),
      HOLT_STATE_DIR: this.state,
      XDG_CONFIG_HOME: join(this.root, "config"), // not that of whoever runs the tests
      HOLT_NO_DAEMON: "1",
      ...extra,
    };
  }

  /** Starts its daemon when it needs one; that is killed with it. */
  static withDaemon(extra: Record<string, string> = {}): Bench {
    return new Bench({ HOLT_NO_DAEMON: "", ...extra });
  }

  /** Of the daemon that runs; null when none does. */
  get daemonPid(): number | null {
    const lock = join(this.state, "run", "daemon.lock");
    const pid = existsSync(lock) ? Number(readFileSync(lock, "latin1")) : 0;
    return pid > 0 && isAlive(pid) ? pid : null;
  }

  /** Fails when none runs: to kill(2), 0 and -1 are not nobody but everybody. */
  killDaemon(): void {
    const pid = this.daemonPid;
    if (pid === null) throw new Error("no daemon runs that could be killed");
    process.kill(pid, "SIGKILL");
  }

  async run(
    args: readonly string[],
    { stdin = "", env = {} }: { stdin?: string | Uint8Array; env?: Record<string, string> } = {},
  ): Promise<Result> {
    return collect([HOLT, ...args], { stdin, env: { ...this.env, ...env }, cwd: this.root });
  }

  /** A line of shell, with `holt` as $HOLT: for pipelines and job control. */
  async shell(script: string, { shell = "bash" } = {}): Promise<Result> {
    return collect([shell, "-c", script], { stdin: "", env: { ...this.env, HOLT }, cwd: this.root });
  }

  get ids(): string[] {
    return readdirSync(join(this.state, "sessions")).toSorted();
  }

  /** Holders that wait for a session, and those that have one: pids. */
  holders(): number[] {
    return this.processes("__holder");
  }

  /** The one that serves, and those that have yet to find out whether they do: killed, until there is none. */
  killDaemons(): boolean {
    const all = this.processes("__daemon");
    for (const pid of all) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it was just going
      }
    }
    return all.length === 0;
  }

  /** Processes of this executable that were started with this word: pids. */
  processes(word: string): number[] {
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d/.test(name) || !read(`/proc/${name}/cmdline`).includes(`\0${word}\0`)) return [];
      const isOurs = read(`/proc/${name}/environ`).includes(`HOLT_STATE_DIR=${this.state}\0`);
      return isOurs && isAlive(Number(name)) ? [Number(name)] : [];
    });
  }

  /** Those that have a record. What retention is removing has another name by then. */
  started(): string[] {
    if (!existsSync(join(this.state, "sessions"))) return [];
    const ids = this.ids.filter((id) => !id.startsWith("."));
    return ids.filter((id) => existsSync(join(this.state, "sessions", id, "meta.json")));
  }

  /** The one session there is. */
  get id(): string {
    const [id, ...more] = this.ids;
    if (id === undefined || more.length > 0)
      throw new Error(`expected one session, found ${this.ids.join(" ") || "none"}`);
    return id;
  }

  artifact(name: string, id = this.id): Buffer {
    return readFileSync(join(this.state, "sessions", id, name));
  }

  output(id = this.id): Buffer {
    return this.artifact("output.bin", id);
  }

  meta(id = this.id): Meta {
    return JSON.parse(this.artifact("meta.json", id).toString()) as Meta;
  }

  final(id = this.id): Final {
    return JSON.parse(this.artifact("final.json", id).toString()) as Final;
  }

  events(id = this.id): Record<string, unknown>[] {
    const lines = this.artifact("events.jsonl", id).toString().trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  [Symbol.dispose](): void {
    const daemon = this.daemonPid;
    if (daemon !== null) process.kill(daemon, "SIGKILL");
    // Those that wait for a session end with their daemon.
    if (daemon !== null) for (let tries = 0; this.holders().length > 0 && tries < 200; tries++) Bun.sleepSync(10);
    // A sweep that the last session started may still be at work in there.
    for (let tries = 0; existsSync(this.root) && tries < 100; tries++) {
      if (tries > 0) Bun.sleepSync(20);
      try {
        rmSync(this.root, { recursive: true, force: true });
      } catch {
        // something was written into it meanwhile
      }
    }
  }
}

/** Without holt's own variables, but for the mark by which left processes are found (scripts/test-leaks.ts). */
function inherited(): Record<string, string> {
  const all = Object.entries(process.env as Record<string, string>);
  return Object.fromEntries(all.filter(([name]) => name === "HOLT_TEST_RUN" || !name.startsWith("HOLT_")));
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // gone
  }
}

export async function collect(
  argv: string[],
  { stdin, env, cwd }: { stdin: string | Uint8Array; env: Record<string, string>; cwd: string },
): Promise<Result> {
  const proc = Bun.spawn(argv, { stdin: Buffer.from(stdin), stdout: "pipe", stderr: "pipe", env, cwd });
  const [stdout, stderr] = await Promise.all([new Response(proc.stdout).bytes(), new Response(proc.stderr).text()]);
  await proc.exited;
  return {
    stdout,
    stderr,
    text: Buffer.from(stdout).toString(),
    exitCode: proc.exitCode,
    signal: proc.signalCode === null ? null : String(proc.signalCode),
  };
}
