/** 64 KiB anywhere costs the same, however long the transcript is. */
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FORMAT_VERSION, type Final, type Meta } from "../src/protocol/session.ts";
import { layoutAt, prepareLayout } from "../src/transcript/layout.ts";
import { TranscriptReader } from "../src/transcript/reader.ts";
import { median } from "./measure.ts";
import { ms, type Section } from "./table.ts";

const READ = 65536;
const LARGE = 4 * 1024 ** 3;
const TURNS = 200;

export async function reading(bin: string): Promise<Section[]> {
  const root = mkdtempSync(join(tmpdir(), "hb-"));
  const layout = layoutAt(root);
  prepareLayout(layout);
  try {
    make(layout.sessions, "small", READ);
    make(layout.sessions, "large", LARGE);
    const rows: string[][] = [];
    const c = await cTimes(join(bin, "pread"), join(layout.sessions, "large", "output.bin"));
    rows.push(["C `pread`, random, 4 GiB", ms(c), "1.00", ""]);
    const times = new Map<string, { ms: number[]; bytes: number }>();
    // Turns alternate, so that a busy moment hits all alike.
    for (let turn = -20; turn < TURNS; turn++) {
      for (const [name, id, cursor] of [
        ["all of 64 KiB", "small", 0],
        ["the last 64 KiB of 4 GiB", "large", LARGE - READ],
        ["64 KiB at a random cursor of 4 GiB", "large", Math.floor(Math.random() * (LARGE - READ))],
      ] as const) {
        const { elapsed, heap } = readOnce(layout, id, cursor);
        if (turn < 0) continue;
        const entry = times.get(name) ?? { ms: [], bytes: 0 };
        entry.ms.push(elapsed);
        entry.bytes = Math.max(entry.bytes, heap);
        times.set(name, entry);
      }
    }
    const small = median(times.get("all of 64 KiB")?.ms ?? []);
    for (const [name, entry] of times)
      rows.push([name, ms(median(entry.ms)), (median(entry.ms) / c).toFixed(2), (median(entry.ms) / small).toFixed(2)]);
    return [
      {
        title: "Reading 64 KiB",
        about: `A transcript is opened, 64 KiB are read at a cursor with their channels and times, and it is closed (${TURNS} times). The large one has 65,536 index records; its bytes are a hole in the file, so this measures finding and copying, not the disk.`,
        head: ["", "median", "of C", "of the small one"],
        rows,
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function readOnce(layout: ReturnType<typeof layoutAt>, id: string, cursor: number): { elapsed: number; heap: number } {
  const started = performance.now();
  using reader = TranscriptReader.open(layout, id);
  const { chunks } = reader.read({ cursor, maxBytes: READ });
  const elapsed = performance.now() - started;
  const heap = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (heap !== READ) throw new Error(`read ${heap} of ${READ} bytes at ${cursor} of ${id}`);
  return { elapsed, heap };
}

async function cTimes(program: string, file: string): Promise<number> {
  const out = await Bun.$`${program} ${file} ${TURNS} 42`.text();
  return median(out.trim().split("\n").map(Number)) / 1e6;
}

function make(sessions: string, id: string, size: number): void {
  const dir = join(sessions, id);
  mkdirSync(dir, { mode: 0o700 });
  const fd = openSync(join(dir, "output.bin"), "w", 0o600);
  ftruncateSync(fd, size);
  closeSync(fd);
  const lines: string[] = [];
  for (let offset = 0; offset < size; offset += READ) {
    lines.push(`{"offset":${offset},"length":${READ},"channel":"pty","timestamp":"2026-01-01T00:00:00.000Z"}\n`);
  }
  writeFileSync(join(dir, "index.jsonl"), lines.join(""), { mode: 0o600 });
  const at = new Date().toISOString();
  const holder = { pid: 1, start_time: 1, boot_id: "none" };
  const meta: Meta = {
    format: FORMAT_VERSION,
    session_id: id,
    name: null,
    argv: ["true"],
    cwd: "/",
    env_keys: [],
    transport_mode: "posix-pty",
    tty_attached: false,
    size: null,
    project_id: null,
    shared: false,
    retention_seconds: 3600,
    max_output_bytes: size,
    created_at: at,
    started_at: at,
    process: holder,
    holder,
    socket: null,
    holt_version: "0",
  };
  const final: Final = {
    format: FORMAT_VERSION,
    session_id: id,
    state: "exited",
    reason: "completed",
    exit_code: 0,
    signal: null,
    started_at: at,
    ended_at: at,
    duration_ms: 0,
    output_bytes: size,
    output_complete: true,
    truncated: false,
    usage: null,
    error: null,
  };
  writeFileSync(join(dir, "meta.json"), JSON.stringify(meta), { mode: 0o600 });
  writeFileSync(join(dir, "final.json"), JSON.stringify(final), { mode: 0o600 });
  writeFileSync(join(dir, "append.lock"), "", { mode: 0o600 });
}
