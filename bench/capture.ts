/** A flood through a terminal to the disk. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, type Sample, timed } from "./measure.ts";
import { type Section, standings } from "./table.ts";

const BYTES = Number(process.env["HOLT_BENCH_MIB"] ?? 256) * 1024 * 1024;

export async function capture(holt: string, bin: string): Promise<Section[]> {
  const sections: Section[] = [];
  const hold = join(bin, "hold");
  for (const [kind, produced] of [
    ["plain", BYTES],
    // The terminal turns each newline into two bytes.
    ["lines", BYTES + Math.floor(BYTES / 65536) * Math.floor(65536 / 80)],
  ] as const) {
    const cwd = mkdtempSync(join(tmpdir(), "hb-"));
    const flood = [join(bin, "flood"), String(BYTES), kind];
    const env = { HOLT_STATE_DIR: join(cwd, "state"), SHELL: "/bin/sh" };
    const clean = (): void => rmSync(env.HOLT_STATE_DIR, { recursive: true, force: true });
    const file = join(cwd, "captured");
    const checked = async (work: Promise<Sample>, path: () => string): Promise<Sample> => {
      const sample = await work;
      const { size } = statSync(path());
      if (size < produced) throw new Error(`${path()} has ${size} of ${produced} bytes`);
      return sample;
    };
    const transcript = (): string =>
      join(env.HOLT_STATE_DIR, "sessions", readdirSync(join(env.HOLT_STATE_DIR, "sessions"))[0] ?? "", "output.bin");
    try {
      const results = await compare({
        "C: read and append": () => checked(timed([join(bin, "capture"), file, ...flood], { cwd }), () => file),
        "holt's holder": () => (clean(), checked(timed([hold, ...flood], { cwd, env }), transcript)),
        "`holt run`, a person watching": () => (
          clean(), checked(timed([holt, "run", "--", ...flood], { cwd, env, terminal: true }), transcript)
        ),
        "`script`, a person watching": () =>
          checked(timed(["script", "-qefc", flood.join(" "), file], { cwd, env, terminal: true }), () => file),
        "tmux with pipe-pane": () => checked(tmux(flood, file, cwd), () => file),
      });
      sections.push(
        standings(
          `Capture of ${BYTES / 1024 / 1024} MiB from a terminal, ${kind === "plain" ? "without newlines" : "in lines of 80"}`,
          "Time until every byte is in the file. CPU is that of the program and its children. The baseline does nothing but read and append; a person watching means that the bytes also go to an outer terminal, which something must read.",
          results,
          ({ ms }) => `${Math.round(BYTES / 1024 / 1024 / (ms / 1000))} MiB/s`,
        ),
      );
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  }
  return sections;
}

/** From the start of the command to the last byte in pipe-pane's file. */
async function tmux(flood: string[], file: string, cwd: string): Promise<Sample> {
  const socket = `hb${process.pid}`;
  const run = (...args: string[]): Promise<Sample> =>
    timed(["tmux", "-L", socket, "-f", "/dev/null", ...args], { cwd });
  rmSync(file, { force: true });
  await run(
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "24",
    `while [ ! -e go ]; do sleep 0.01; done; ${flood.join(" ")}; touch done; sleep 60`,
  );
  try {
    await run("pipe-pane", "-o", `cat > ${file}`);
    const started = performance.now();
    await Bun.write(join(cwd, "go"), "");
    while (!(await Bun.file(join(cwd, "done")).exists())) await Bun.sleep(2);
    let size = -1;
    for (let now = statSync(file).size; now !== size; now = statSync(file).size) {
      size = now;
      await Bun.sleep(20);
    }
    return { ms: performance.now() - started - 20 };
  } finally {
    await run("kill-server");
    for (const name of ["go", "done"]) rmSync(join(cwd, name), { force: true });
  }
}
