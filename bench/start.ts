/** What it costs to be there at all. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, median, quantile, ROUNDS, timed } from "./measure.ts";
import { type Section, standings } from "./table.ts";

const ROUNDS_SHORT = Math.max(ROUNDS, 25);

export async function start(holt: string): Promise<Section[]> {
  const cwd = mkdtempSync(join(tmpdir(), "hb-"));
  const env = { HOLT_STATE_DIR: join(cwd, "state"), SHELL: "/bin/sh" };
  try {
    const version = await compare(
      { "`true`": () => timed(["true"], { cwd, env }), "`holt version`": () => timed([holt, "version"], { cwd, env }) },
      ROUNDS_SHORT,
    );
    const run = await compare(
      {
        "`script -qec true /dev/null`": () =>
          timed(["script", "-qec", "true", "/dev/null"], { cwd, env, terminal: true }),
        "`true`": () => timed(["true"], { cwd, env, terminal: true }),
        "`holt run -- true`, on a terminal": () => timed([holt, "run", "--", "true"], { cwd, env, terminal: true }),
        "`holt run -- true`, on pipes": () => timed([holt, "run", "--", "true"], { cwd, env }),
      },
      ROUNDS_SHORT,
    );
    const script: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < ROUNDS_SHORT; round++) {
      script.push(await firstByte(["script", "-qec", "echo x; sleep 0.1", "/dev/null"], cwd, env));
      ours.push(await firstByte([holt, "run", "--", "sh", "-c", "echo x; sleep 0.1"], cwd, env));
    }
    return [
      standings("Cold start", "The executable, started to print its version.", version),
      standings(
        "A session",
        "A whole durable session around `true` (its record on disk and fsynced), against what `script` does.",
        run,
      ),
      {
        title: "First byte",
        about: "From the start of the program to the first byte of the command on the person's terminal.",
        head: ["", "median", "p90"],
        rows: [
          ["`script`", `${median(script).toFixed(1)} ms`, `${quantile(script, 0.9).toFixed(1)} ms`],
          ["`holt run`", `${median(ours).toFixed(1)} ms`, `${quantile(ours, 0.9).toFixed(1)} ms`],
        ],
      },
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function firstByte(argv: string[], cwd: string, env: Record<string, string>): Promise<number> {
  const started = performance.now();
  let first = 0;
  const proc = Bun.spawn(argv, {
    cwd,
    env: { ...(process.env as Record<string, string>), ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data() {
        first ||= performance.now();
      },
    },
  });
  await proc.exited;
  proc.terminal?.close();
  return first - started;
}
