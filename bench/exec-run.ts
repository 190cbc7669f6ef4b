/** A command's result in one call, against the least that running it can cost. */
import { DaemonClient } from "../src/client/daemon-client.ts";
import { layoutAt } from "../src/transcript/layout.ts";
import { compare, ROUNDS, type Sample } from "./measure.ts";
import { Stage } from "./stage.ts";
import { type Section, standings } from "./table.ts";

const ROUNDS_SHORT = Math.max(ROUNDS, 61);
/** So that the pool is full again, and nothing of one round runs into the next. */
const PAUSE_MS = 120;

export async function execRun(holt: string, bin: string): Promise<Section[]> {
  await using stage = new Stage(holt);
  await stage.daemon();
  using client = await DaemonClient.dial(layoutAt(stage.state));
  if (client === null) throw new Error("no daemon");
  const { cwd } = stage;
  const call = (work: () => Promise<{ exit_code: number | null } | { rc: number }>) => rested(() => answered(work));
  const results = await compare(
    {
      "bare `Bun.spawn` of `true`, its output read": rested(() => bare(["true"])),
      "bare `Bun.spawn` of `sh -c true`": rested(() => bare(["sh", "-c", "true"])),
      "`sh -c true` in C: fork, exec, wait": rested(() => inC(`${bin}/sh-true`)),
      '`exec.run` with `args: ["true"]`': call(() => client.call("exec.run", { args: ["true"], cwd })),
      '`exec.run` with `command: "true"`': call(() =>
        client.call("exec.run", { command: "true", cwd, env: { SHELL: "/bin/sh" } }),
      ),
      "`shell.run` of `true`": call(() => client.call("shell.run", { argv: ["true"], cwd })),
    },
    ROUNDS_SHORT,
  );
  return [
    standings(
      "A command's result in one call",
      "Over the daemon's socket, until the answer with its exit code and output is there; a durable session each.",
      results,
    ),
  ];
}

function rested(work: () => Promise<Sample>): () => Promise<Sample> {
  return async () => {
    await Bun.sleep(PAUSE_MS);
    return work();
  };
}

async function bare(argv: string[]): Promise<Sample> {
  const started = performance.now();
  const proc = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  await Promise.all([proc.stdout.bytes(), proc.stderr.bytes(), proc.exited]);
  return { ms: performance.now() - started };
}

/** It tells its own time: ours would be that of its own start. */
async function inC(program: string): Promise<Sample> {
  const proc = Bun.spawn([program], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  return { ms: Number(await new Response(proc.stdout).text()) };
}

async function answered(call: () => Promise<{ exit_code: number | null } | { rc: number }>): Promise<Sample> {
  const started = performance.now();
  const result = await call();
  const ms = performance.now() - started;
  if (("rc" in result ? result.rc : result.exit_code) !== 0) throw new Error("it failed");
  return { ms };
}
