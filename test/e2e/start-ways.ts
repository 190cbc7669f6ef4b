/**
 * Which way a `holt start` went: by the starter alone, which stands in front of the runtime (docs/adr/0027), by the runtime alone, or by the first and then the second.
 * strace(1) tells: only the starter uses sendto(2), and only the runtime makes threads.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerLine, type Reaction } from "../support/fake-daemon.ts";
import { type Bench, collect, HOLT, type Result } from "../support/holt.ts";

export type Way = "starter" | "runtime" | "both";

export interface Ways extends Result {
  way: Way;
}

export interface Given {
  /** A system call that fails, as strace(1) has it. */
  fault?: string;
  /** Programs in front, each of which becomes what follows it. */
  before?: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
}

const TRACED = ["sendto", "clone", "clone3", "execve"];

export async function startWay(bench: Bench, args: readonly string[], given: Given = {}): Promise<Ways> {
  const { before = [], env = {}, cwd = bench.root, fault } = given;
  const faulty = fault === undefined ? [] : [fault.split(":", 1)[0]];
  const trace = join(bench.root, `trace-${Bun.randomUUIDv7()}`);
  const strace = ["strace", "-qq", "-s", "80", "-o", trace, "-e", `trace=${[...TRACED, ...faulty].join()}`];
  if (fault !== undefined) strace.push("-e", `inject=${fault}`);
  const result = await collect([...before, ...strace, HOLT, "start", ...args], {
    stdin: "",
    env: { ...bench.env, ...env },
    cwd,
  });
  return { ...result, way: wayIn(readFileSync(trace, "latin1")) };
}

function wayIn(trace: string): Way {
  if (!/^sendto\(.*session\.start.* = \d+$/m.test(trace)) return "runtime";
  return /^clone/m.test(trace) ? "both" : "starter";
}

/** Nothing but this variable makes the runtime do it all. */
export const RUNTIME = { HOLT_NO_NATIVE: "1" };

const { version } = (await Bun.file(new URL("../../package.json", import.meta.url)).json()) as { version: string };

/** As a daemon of this version that has started it. */
export const done: Reaction = (socket, line) => void socket.write(answerLine(startedBy(line)));

export function startedBy(line: string, by = version): object {
  return { session_id: paramsIn(line)["session_id"], holt_version: by, process: null };
}

export function paramsIn(line: string): Record<string, unknown> {
  return (JSON.parse(line) as { params: Record<string, unknown> }).params;
}
