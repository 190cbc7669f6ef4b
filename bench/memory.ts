/** What an idle session costs in memory that nobody shares. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";
import type { Section } from "./table.ts";

const TIMES = 9;
const IDLE_MS = 22_000;

export async function memory(holt: string): Promise<Section[]> {
  const cwd = mkdtempSync(join(tmpdir(), "hb-"));
  const env = { ...(process.env as Record<string, string>), HOLT_STATE_DIR: join(cwd, "state"), SHELL: "/bin/sh" };
  try {
    const script: number[] = [];
    const pty: number[] = [];
    const leader: number[] = [];
    const pipe: number[] = [];
    const run = [holt, "run", "--", "sh", "-c", "echo up; exec sleep 60"];
    const measured = await Promise.all(
      Array.from({ length: TIMES }, () => [
        idle(["script", "-qec", "echo up; exec sleep 60", "/dev/null"], env, cwd, true),
        idle(run, env, cwd, true),
        idle(run, env, cwd, false),
      ]).map((turn) => Promise.all(turn)),
    );
    for (const [byScript, onTerminal, onPipes] of measured) {
      script.push(byScript?.own ?? Number.NaN);
      pty.push(onTerminal?.own ?? Number.NaN);
      leader.push(onTerminal?.children ?? Number.NaN);
      pipe.push(onPipes?.own ?? Number.NaN);
    }
    const row = (name: string, values: number[]): string[] => [name, `${(median(values) / 1024).toFixed(1)} MB`];
    return [
      {
        title: "Memory of an idle session",
        about: `Private memory (clean and dirty) of ${TIMES} sessions each, 22 seconds after the command's first and only output. They run at once, so that what all of them share is not counted.`,
        head: ["", "private"],
        rows: [
          row("`script`", script),
          row("holder, on pipes", pipe),
          row("holder, on a terminal", pty),
          row("its leader", leader),
        ],
      },
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function idle(
  argv: string[],
  env: Record<string, string>,
  cwd: string,
  terminal: boolean,
): Promise<{ own: number; children: number }> {
  const up = Promise.withResolvers<void>();
  const proc = terminal
    ? Bun.spawn(argv, { env, cwd, terminal: { cols: 80, rows: 24, data: () => up.resolve() } })
    : Bun.spawn(argv, { env, cwd, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  if (proc.stdout instanceof ReadableStream)
    void proc.stdout
      .getReader()
      .read()
      .then(() => up.resolve());
  await up.promise;
  await Bun.sleep(IDLE_MS);
  const children = readFileSync(`/proc/${proc.pid}/task/${proc.pid}/children`, "latin1").trim().split(" ").map(Number);
  const first = children[0] ?? 0;
  const leading = first > 0 && readFileSync(`/proc/${first}/cmdline`, "latin1").includes("leader");
  const result = { own: privateKb(proc.pid), children: leading ? privateKb(first) : 0 };
  proc.kill("SIGTERM");
  await proc.exited;
  proc.terminal?.close();
  return result;
}

function privateKb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  return [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm)].reduce((sum, [, kb]) => sum + Number(kb), 0);
}
