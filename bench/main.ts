/**
 * `make bench`: each figure as a ratio against a baseline of the same run. Writes results.md and docs/benchmarks.md.
 * `bun bench/main.ts NAME...` prints those figures alone; `bar` is all that the table at the top needs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { endLeftProcesses } from "../scripts/test-leaks.ts";
import { BAR_FIGURES, barSection } from "./bar.ts";
import { writeBenchmarksPage } from "./benchmarks-page.ts";
import { capture } from "./capture.ts";
import { daemonStart } from "./daemon-start.ts";
import { echo } from "./echo.ts";
import { emulator } from "./emulator.ts";
import { execRun } from "./exec-run.ts";
import { fanOut } from "./fan-out.ts";
import { growth } from "./growth.ts";
import { httpRate } from "./http-rate.ts";
import { listingLiving } from "./listing-living.ts";
import { mcpCalls } from "./mcp-calls.ts";
import { manyIdle, memory } from "./memory.ts";
import { pagePaint } from "./page-paint.ts";
import { painting } from "./painting.ts";
import { rates } from "./rates.ts";
import { reading } from "./reading.ts";
import { shellExec } from "./shell-exec.ts";
import { start } from "./start.ts";
import { markdown, type Section } from "./table.ts";
import { tailAndGrep } from "./tail-and-grep.ts";
import { waking } from "./waking.ts";
import { webEcho } from "./web-echo.ts";
import { webFlood } from "./web-flood.ts";
import { webSlow } from "./web-slow.ts";

const root = join(import.meta.dir, "..");
const holt = process.env["HOLT_BIN"] ?? join(root, "dist/holt");
const bin = mkdtempSync(join(tmpdir(), "hb-"));
/** What every process of the run carries in its environment, and is found by when a figure is over. */
const mark = `bench-${process.pid}-${Date.now()}`;
process.env["HOLT_TEST_RUN"] = mark;
process.env["TMPDIR"] = bin;
/** No figure takes half as long. */
const FIGURE_MS = 10 * 60_000;
let ending: Promise<never> | null = null;

const FIGURES: Record<string, () => Promise<Section[]>> = {
  start: () => start(holt),
  capture: () => capture(holt, bin),
  waking: () => waking(holt),
  reading: () => reading(bin),
  "tail-and-grep": () => tailAndGrep(holt),
  memory: () => memory(holt),
  daemon: () => daemonStart(holt),
  exec: () => execRun(holt, bin),
  rates: () => rates(holt, bin),
  mcp: () => mcpCalls(holt),
  growth: () => growth(holt),
  "listing-living": () => listingLiving(holt),
  echo: () => echo(holt, bin),
  "fan-out": () => fanOut(holt, bin),
  painting: () => painting(holt, bin),
  emulator: () => emulator(holt, bin),
  idle: () => manyIdle(holt),
  "shell-exec": () => shellExec(holt),
  "web-echo": () => webEcho(holt, bin),
  "web-flood": () => webFlood(holt, bin),
  "web-slow": () => webSlow(holt),
  http: () => httpRate(holt),
  page: () => pagePaint(holt, bin),
};

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void end(1));

const wanted = process.argv.slice(2).flatMap((name) => (name === "bar" ? BAR_FIGURES : [name]));
const unknown = wanted.filter((name) => !(name in FIGURES));
if (unknown.length > 0) {
  console.error(
    `bench: no such figure: ${unknown.join(", ")}\nbench: there are: bar, ${Object.keys(FIGURES).join(", ")}`,
  );
  await end(2);
}
await end((await measure()) ? 0 : 1);

/** Whether all was measured, and nothing was left behind. */
async function measure(): Promise<boolean> {
  await build();
  const sections: Section[] = [];
  const failed: string[] = [];
  for (const [name, figure] of Object.entries(FIGURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const started = performance.now();
    const measured = await withinTime(name, figure).catch((error: unknown) => {
      console.error(`bench: ${name}:`, error);
      return null;
    });
    if (ending !== null) await ending;
    const left = await endLeftProcesses(mark);
    if (left.length > 0) console.error(`bench: ${name} left processes:\n  ${left.join("\n  ")}`);
    if (measured === null || left.length > 0) failed.push(name);
    console.error(`bench: ${name} took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    for (const section of measured ?? []) console.log(markdown(section));
    sections.push(...(measured ?? []));
  }
  const bar = barSection(sections);
  if (wanted.length === 0 || BAR_FIGURES.every((name) => wanted.includes(name))) console.log(markdown(bar));
  if (failed.length > 0) console.error(`bench: failed: ${failed.join(", ")}`);
  else if (wanted.length === 0) {
    await Bun.write(join(root, "bench/results.md"), page([bar, ...sections]));
    writeBenchmarksPage();
  }
  return failed.length === 0;
}

/** A figure that hangs would go on beside the next: it ends the run. */
async function withinTime(name: string, figure: () => Promise<Section[]>): Promise<Section[]> {
  const timer = setTimeout(() => {
    console.error(`bench: ${name} takes more than ${FIGURE_MS / 60_000} minutes`);
    void end(1);
  }, FIGURE_MS);
  try {
    return await figure();
  } finally {
    clearTimeout(timer);
  }
}

function end(code: number): Promise<never> {
  return (ending ??= ended(code));
}

async function ended(code: number): Promise<never> {
  await endLeftProcesses(mark);
  rmSync(bin, { recursive: true, force: true });
  process.exit(code);
}

function page(sections: readonly Section[]): string {
  const machine = `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${process.platform} ${process.arch}, Bun ${Bun.version}`;
  const head = `# Measured\n\nWritten by \`make bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.\nContestants take turns; a ratio is the median of the ratios of each turn, so that a busy moment hits both sides.\n`;
  return [head, ...sections.map(markdown)].join("\n");
}

async function build(): Promise<void> {
  const programs = new Bun.Glob("*.c").scanSync(join(import.meta.dir, "c"));
  for (const file of programs)
    await Bun.$`cc -O2 -o ${join(bin, file.slice(0, -2))} ${join(import.meta.dir, "c", file)} -lutil`.quiet();
}
