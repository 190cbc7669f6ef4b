/** Writers in processes of their own: read while they write, killed in the middle, and with disks that fail under them. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import type { GapNotice } from "../../src/transcript/write/writer.ts";
import { codeOf, patternAt, Scratch } from "./scratch.ts";
import type { Plan } from "./writer-process.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

function startWriter(id: string, plan: Plan, wrapper: string[] = []) {
  const program = join(import.meta.dir, "writer-process.ts");
  const argv = [...wrapper, process.execPath, program, scratch.layout.root, id, JSON.stringify(plan)];
  return Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

/** The reader of a session that a process is only about to make. */
async function openSoon(id: string): Promise<TranscriptReader> {
  for (const deadline = performance.now() + 20_000; ; await Bun.sleep(1)) {
    if (codeOf(() => TranscriptReader.open(scratch.layout, id)[Symbol.dispose]()) === "nothing") break;
    if (performance.now() > deadline) throw new Error(`session ${id} did not appear`);
  }
  return TranscriptReader.open(scratch.layout, id);
}

/** Reads on from a cursor until `done`, checks every byte, and counts those that were passed over. */
async function follow(reader: TranscriptReader, cursor: number, done: (cursor: number, eof: boolean) => boolean) {
  let missing = 0;
  for (const deadline = performance.now() + 40_000; ; ) {
    const { chunks, next_cursor, eof, truncated } = reader.read({ cursor, maxBytes: 65_536 });
    const before = missing;
    for (const { offset, bytes } of chunks) {
      if (!patternAt(offset, bytes.length).equals(bytes)) throw new Error(`wrong bytes at ${offset}`);
      missing += offset - cursor;
      cursor = offset + bytes.length;
    }
    missing += next_cursor - cursor;
    expect(truncated).toBe(missing > before);
    cursor = next_cursor;
    if (done(cursor, eof)) return { cursor, missing, eof };
    if (performance.now() > deadline) throw new Error(`stuck at ${cursor}`);
    if (chunks.length === 0) await Bun.sleep(1);
  }
}

describe("readers beside a writer", () => {
  test("see every byte once and in order while it floods, and the end when it ends", async () => {
    const proc = startWriter("s", { sizes: [4096, 1, 65_536, 300, 70_001], appends: 3000 });
    using one = await openSoon("s");
    using two = TranscriptReader.open(scratch.layout, "s");
    const toEnd = (_: number, eof: boolean) => eof;
    const [first, second] = await Promise.all([follow(one, 0, toEnd), follow(two, 0, toEnd)]);
    const { produced } = JSON.parse(await new Response(proc.stdout).text()) as { produced: number };
    expect(await proc.exited).toBe(0);
    expect([first, second]).toEqual([
      { cursor: produced, missing: 0, eof: true },
      { cursor: produced, missing: 0, eof: true },
    ]);
    expect(statSync(scratch.path("s", "output.bin")).size).toBe(produced);
  });

  test("see a trickle within moments, byte by byte", async () => {
    const proc = startWriter("s", { sizes: [1], appends: 300, everyMs: 2 });
    using reader = await openSoon("s");
    expect(await follow(reader, 0, (_, eof) => eof)).toEqual({ cursor: 300, missing: 0, eof: true });
    expect(await proc.exited).toBe(0);
  });
});

describe("a writer that is killed with -9", () => {
  test("leaves everything that it wrote, whenever it dies, and the session holder_lost", async () => {
    for (let round = 0; round < 8; round++) {
      const id = `s${round}`;
      const proc = startWriter(id, { sizes: [4096, 17, 65_536, 5], appends: "forever" });
      using reader = await openSoon(id);
      const enough = round * 700_001;
      const { cursor } = await follow(reader, 0, (at) => at > enough);
      proc.kill("SIGKILL");
      await proc.exited;
      const rest = await follow(reader, cursor, (_, eof) => eof);
      expect(rest).toEqual({ cursor: statSync(scratch.path(id, "output.bin")).size, missing: 0, eof: true });
      expect(reader.session()).toMatchObject({ state: "failed", reason: "holder_lost", output_bytes: rest.cursor });
      expect(codeOf(() => SessionDir.create(scratch.layout, id))).toBe("EEXISTS");
    }
  }, 120_000);
});

describe("a disk that fails at every Nth write", () => {
  // A single failure is made good by the second try; a gap takes a run of them.
  const faults = [
    ["ENOSPC", "2", "no gap"],
    ["EIO", "1+2", "no gap"],
    ["EDQUOT", "5..10", "gaps"],
    ["ENOSPC", "3+1", "a gap to the end"],
  ].flatMap(([errno = "", when = "", outcome = ""]) =>
    ["output.bin", "index.jsonl"].map((file) => [errno, when, file, outcome] as const),
  );

  test.each(faults)(
    "with %s (when=%s) under %s loses nothing but what it tells",
    async (errno, when, file, outcome) => {
      const trace = join(scratch.root, "trace");
      const wrapper = ["strace", "-f", "-qq", "-o", trace, "-P", scratch.path("s", file)];
      wrapper.push("-e", "trace=pwrite64", "-e", `inject=pwrite64:error=${errno}:when=${when}`);
      const proc = startWriter("s", { sizes: [3000, 1, 70_000, 12], appends: 120, everyMs: 5 }, wrapper);
      const [stdout, stderr] = await Promise.all([new Response(proc.stdout).text(), new Response(proc.stderr).text()]);
      expect([await proc.exited, stderr]).toEqual([0, ""]);
      const lines = stdout.trim().split("\n");
      const told = lines.map((line) => JSON.parse(line) as { from: number; to: number | null; produced?: number });
      const produced = told.pop()?.produced ?? 0;
      expect(produced).toBe(30 * 73_013);
      // Each gap is told when it begins and when it ends.
      const ended = told.filter(({ to }) => to !== null);
      const lasting = told.length % 2 === 1 ? told.at(-1) : undefined;
      const lost = [...ended, ...(lasting ? [lasting] : [])].reduce(
        (sum, { from, to }) => sum + (to ?? produced) - from,
        0,
      );
      expect(readFileSync(trace, "utf8")).toContain("(INJECTED)");
      expect(lost > 0).toBe(file === "output.bin" && outcome !== "no gap");
      expect(lasting !== undefined).toBe(file === "output.bin" && outcome === "a gap to the end");

      using reader = TranscriptReader.open(scratch.layout, "s");
      expect(await follow(reader, 0, (_, eof) => eof)).toEqual({ cursor: produced, missing: lost, eof: true });
      expect(reader.session()).toMatchObject({ state: "exited", output_bytes: produced, truncated: told.length > 0 });
      expect(readdirSync(scratch.path("s")).filter((name) => name.startsWith("."))).toEqual([]);
    },
    60_000,
  );

  test("under the index for good captures as long as it can remember what to write there, and not a byte more", async () => {
    const wrapper = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", scratch.path("s", "index.jsonl")];
    wrapper.push("-e", "trace=pwrite64", "-e", "inject=pwrite64:error=EIO:when=1+1");
    const proc = startWriter("s", { sizes: [10], appends: 9000 }, wrapper);
    const [told, last] = (await new Response(proc.stdout).text()).trim().split("\n");
    expect(await proc.exited).toBe(0);
    const { from, to, cause } = JSON.parse(told ?? "") as GapNotice;
    expect({ to, cause, last: JSON.parse(last ?? "") }).toEqual({ to: null, cause: "EIO", last: { produced: 90_000 } });
    expect(from).toBeGreaterThan(40_000);
    expect(from).toBeLessThan(90_000);
    expect(statSync(scratch.path("s", "output.bin")).size).toBe(from);
    using reader = TranscriptReader.open(scratch.layout, "s");
    expect(await follow(reader, 0, (_, eof) => eof)).toEqual({ cursor: 90_000, missing: 90_000 - from, eof: true });
  });
});
