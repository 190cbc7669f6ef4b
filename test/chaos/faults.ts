/** Failing system calls, by strace(1): `when` is its syntax, "3" (the third), "3..4", "3+" (from the third on), "1+2" (every other). */
import { type Bench, collect, HOLT, type Result } from "../support/holt.ts";

export interface Fault {
  calls: string;
  errno: string;
  when: string;
  /** Only calls on this file, or relative to this directory. */
  path?: string;
}

export async function runWithFault(bench: Bench, fault: Fault, args: string[]): Promise<Result> {
  return withFault(bench, fault, ["run", ...args]);
}

export async function withFault(bench: Bench, { calls, errno, when, path }: Fault, args: string[]): Promise<Result> {
  const only = path === undefined ? [] : ["-P", path];
  const inject = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${errno}:when=${when}`];
  const quiet = ["-f", "--seccomp-bpf", "-qqq", "-e", "signal=none", "-o", "/dev/null"];
  return collect(["strace", ...quiet, ...only, ...inject, HOLT, ...args], {
    stdin: "",
    env: bench.env,
    cwd: bench.root,
  });
}
