/** `make bench`: every figure of the README, each as a ratio against a baseline of the same run. Writes results.md. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { capture } from "./capture.ts";
import { daemonStart } from "./daemon-start.ts";
import { echo } from "./echo.ts";
import { emulator } from "./emulator.ts";
import { execRun } from "./exec-run.ts";
import { fanOut } from "./fan-out.ts";
import { growth } from "./growth.ts";
import { listingLiving } from "./listing-living.ts";
import { manyIdle } from "./many-idle.ts";
import { mcpCalls } from "./mcp-calls.ts";
import { memory } from "./memory.ts";
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
import { httpRate } from "./http-rate.ts";
import { pagePaint } from "./page-paint.ts";

const root = join(import.meta.dir, "..");
const holt = process.env["HOLT_BIN"] ?? join(root, "dist/holt");
const bin = mkdtempSync(join(tmpdir(), "hb-bin-"));
/** Of the figures below, by name; all unless told. */
const wanted = [...process.argv.slice(2), ...(process.env["HOLT_BENCH_ONLY"] ?? "").split(/[\s,]+/)].filter(
  (name) => name !== "",
);

const FIGURES: Record<string, () => Promise<Section[]>> = {
  start: () => start(holt),
  capture: () => capture(holt, bin),
  waking: () => waking(holt),
  reading: () => reading(bin),
  "tail-and-grep": () => tailAndGrep(holt),
  memory: () => memory(holt),
  daemon: () => daemonStart(holt, bin),
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

try {
  await build();
  const sections: Section[] = [];
  for (const [name, figure] of Object.entries(FIGURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.error(`bench: ${name}`);
    for (const section of await figure()) {
      console.log(markdown(section));
      sections.push(section);
    }
  }
  if (wanted.length === 0) await Bun.write(join(root, "bench/results.md"), page(sections));
} finally {
  rmSync(bin, { recursive: true, force: true });
}

function page(sections: readonly Section[]): string {
  const machine = `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, ${process.platform} ${process.arch}, Bun ${Bun.version}`;
  const head = `# Measured\n\nWritten by \`make bench\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.\nContestants take turns; a ratio is the median of the ratios of each turn, so that a busy moment hits both sides.\n`;
  return [head, ...sections.map(markdown)].join("\n");
}

async function build(): Promise<void> {
  for (const name of [
    "flood",
    "capture",
    "pread",
    "echo",
    "echo-serve",
    "typist",
    "fan-serve",
    "fan-drain",
    "first-paint",
    "show",
    "sh-true",
    "line-echo",
    "line-load",
  ]) {
    await Bun.$`cc -O2 -o ${join(bin, name)} ${join(import.meta.dir, "c", `${name}.c`)} -lutil`.quiet();
  }
  const flags = readFileSync(join(root, "scripts/build-flags"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("--"));
  for (const name of ["hold", "least-start", "least-session", "least-durable", "empty"])
    await Bun.$`${process.execPath} build ${flags} ${join(import.meta.dir, `${name}.ts`)} --outfile ${join(bin, name)}`.quiet();
}
