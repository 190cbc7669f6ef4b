/** 64 KiB anywhere costs the same, however long the transcript is. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Layout, layoutAt, prepareLayout } from "../src/transcript/layout.ts";
import { TranscriptReader } from "../src/transcript/read/reader.ts";
import { finalOf, metaOf } from "../test/support/records.ts";
import { median, rounds } from "./measure.ts";
import { ms, type Section } from "./table.ts";

const READ = 65536;
const LARGE = 4 * 1024 ** 3;
const TURNS = 50;
const ROUNDS = rounds(9);

const PLACES = {
  "all of 64 KiB": { id: "small", cursor: () => 0 },
  "the last 64 KiB of 4 GiB": { id: "large", cursor: () => LARGE - READ },
  "64 KiB at a random cursor of 4 GiB": { id: "large", cursor: () => Math.floor(Math.random() * (LARGE - READ)) },
};
type Place = keyof typeof PLACES;
const NAMES = Object.keys(PLACES) as Place[];

export async function reading(bin: string): Promise<Section[]> {
  const root = mkdtempSync(join(tmpdir(), "hb-"));
  const layout = layoutAt(root);
  prepareLayout(layout);
  try {
    make(layout.sessions, "small", READ);
    make(layout.sessions, "large", LARGE);
    const c: number[] = [];
    const times = new Map<Place, number[]>(NAMES.map((name) => [name, []]));
    const memory = new Map<Place, number[]>(NAMES.map((name) => [name, []]));
    // All take turns, so that a busy moment hits all alike.
    for (let round = 0; round < ROUNDS; round++) {
      c.push(...(await cTimes(join(bin, "pread"), join(layout.sessions, "large", "output.bin"), round)));
      for (let turn = -5; turn < TURNS; turn++) {
        for (const name of NAMES) {
          const elapsed = readOnce(layout, name);
          if (turn >= 0) times.get(name)?.push(elapsed);
        }
      }
      for (const name of NAMES) memory.get(name)?.push(await peakOf(root, name));
    }
    const own = (of: Map<Place, number[]>, name: Place): number => median(of.get(name) ?? []);
    const small = NAMES[0] as Place;
    return [
      {
        title: "Reading 64 KiB",
        about: `A transcript is opened, 64 KiB are read at a cursor with their channels and times, and it is closed (${ROUNDS * TURNS} times). The large one has 65,536 index records; its bytes are a hole in the file, so this measures finding and copying, not the disk. Memory is the peak of a fresh process that does it ${TURNS} times.`,
        head: ["", "median", "of C", "of the small one", "peak memory", "of the small one"],
        rows: [
          ["C `pread`, random, 4 GiB", ms(median(c)), "1.00", "", "", ""],
          ...NAMES.map((name) => [
            name,
            ms(own(times, name)),
            (own(times, name) / median(c)).toFixed(2),
            (own(times, name) / own(times, small)).toFixed(2),
            `${(own(memory, name) / 1024).toFixed(1)} MB`,
            (own(memory, name) / own(memory, small)).toFixed(2),
          ]),
        ],
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function readOnce(layout: Layout, name: Place): number {
  const { id, cursor } = PLACES[name];
  const at = cursor();
  const started = performance.now();
  using reader = TranscriptReader.open(layout, id);
  const { chunks } = reader.read({ cursor: at, maxBytes: READ });
  const elapsed = performance.now() - started;
  const length = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (length !== READ) throw new Error(`read ${length} of ${READ} bytes at ${at} of ${id}`);
  return elapsed;
}

/** In KiB, of a process that does nothing else: this file, started as a program. */
async function peakOf(root: string, name: Place): Promise<number> {
  return Number(await Bun.$`${process.execPath} ${import.meta.path} ${root} ${name}`.text());
}

if (import.meta.main) {
  const [root = "", name = ""] = process.argv.slice(2);
  for (let turn = 0; turn < TURNS; turn++) readOnce(layoutAt(root), name as Place);
  console.log(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))?.[1]);
}

async function cTimes(program: string, file: string, seed: number): Promise<number[]> {
  const out = await Bun.$`${program} ${file} ${TURNS} ${seed}`.text();
  return out
    .trim()
    .split("\n")
    .map((ns) => Number(ns) / 1e6);
}

function make(sessions: string, id: string, size: number): void {
  const dir = join(sessions, id);
  mkdirSync(dir, { mode: 0o700 });
  const put = (name: string, text: string): void => writeFileSync(join(dir, name), text, { mode: 0o600 });
  put("output.bin", "");
  truncateSync(join(dir, "output.bin"), size);
  const lines: string[] = [];
  for (let offset = 0; offset < size; offset += READ) {
    lines.push(`{"offset":${offset},"length":${READ},"channel":"pty","timestamp":"2026-01-01T00:00:00.000Z"}\n`);
  }
  put("index.jsonl", lines.join(""));
  put("meta.json", JSON.stringify(metaOf(id, { max_output_bytes: size })));
  put("final.json", JSON.stringify(finalOf(id, { output_bytes: size })));
  put("append.lock", "");
}
