/** A real file system with no room left: a 1 MiB tmpfs, which only root may mount. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReservedDir } from "../../src/transcript/write/reserved-dir.ts";
import { EventLog } from "../../src/transcript/write/events.ts";
import { readEvents } from "../../src/transcript/read/read-events.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { FinalRecord, writeMeta } from "../../src/transcript/records.ts";
import { readFinal } from "../../src/transcript/read/read-records.ts";
import type { GapNotice } from "../../src/transcript/write/writer.ts";
import { bytesOf, codeOf, finalOf, metaOf, patternAt, Scratch } from "./scratch.ts";

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

let mountPoint: string;
let scratch: Scratch;
beforeEach(() => {
  mountPoint = mkdtempSync(join(tmpdir(), "h-"));
  run("mount", "-t", "tmpfs", "-o", "size=1m", "holt-test", mountPoint);
  scratch = new Scratch(mountPoint);
});
afterEach(() => {
  run("umount", mountPoint);
  rmSync(mountPoint, { recursive: true });
});

function run(...argv: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(argv);
  if (exitCode !== 0) throw new Error(`${argv.join(" ")}: ${stderr.toString()}`);
}

/** Takes all the room there is; removing it gives the room back. */
function fill(): string {
  const path = join(mountPoint, "ballast");
  codeOf(() => writeFileSync(path, Buffer.alloc(2 * 1024 * 1024)));
  return path;
}

const isRoot = process.getuid?.() === 0 && process.platform === "linux";
if (!isRoot) console.error("\n!!! NOT TRIED: a full disk: a small one cannot be mounted (it takes root, on Linux)\n");
const describeAsRoot = isRoot ? describe : describe.skip;

describeAsRoot("on a full disk", () => {
  test("the writer keeps every byte that fits, never throws, and a reader gets just those", () => {
    const notices: GapNotice[] = [];
    using held = scratch.hold("s", { onGap: (gap) => notices.push(gap) });
    writeMeta(held.dir, metaOf("s"));
    for (let i = 0; i < 400; i++) {
      held.writer.append("pty", patternAt(held.writer.produced, 5000), START + i);
    }
    const size = statSync(scratch.path("s", "output.bin")).size;
    expect(size).toBeGreaterThan(900_000);
    expect(notices[0]).toEqual({ from: size, to: null, cause: "ENOSPC" });
    expect(held.writer.produced).toBe(2_000_000);
    const { chunks, next_cursor } = scratch.read("s", { maxBytes: 2 ** 22 });
    expect(bytesOf(chunks)).toEqual(patternAt(0, next_cursor));
    // The last bytes are in memory, for whoever looks on live.
    expect(held.writer.recent(1_999_990, 100)?.bytes).toEqual(new Uint8Array(patternAt(1_999_990, 10)));
  });

  /** Found by a breaker: each holder that came up on a full disk left a directory, and there were more of them with every start. */
  test("a place for a session that cannot be made leaves nothing", () => {
    const ballast = fill();
    expect(codeOf(() => new ReservedDir(scratch.layout))).toBe("ENOSPC");
    expect(readdirSync(scratch.layout.run)).toEqual([]);
    rmSync(ballast);
    using _berth = new ReservedDir(scratch.layout);
    expect(readdirSync(scratch.layout.run)).toHaveLength(2);
  });

  test("capture resumes when there is room again, and the gap is told to the byte", () => {
    const notices: GapNotice[] = [];
    {
      using held = scratch.hold("s", { onGap: (gap) => notices.push(gap) });
      writeMeta(held.dir, metaOf("s"));
      const { writer } = held;
      using events = EventLog.open(held.dir);
      const append = (length: number, now: number) => writer.append("pty", patternAt(writer.produced, length), now);
      append(10_000, START);
      const ballast = fill();
      append(50_000, START + 10);
      const from = writer.gaps[0]?.from ?? 0;
      expect(from).toBeGreaterThanOrEqual(10_000);
      expect(from).toBeLessThan(60_000);
      events.append({ type: "gap", from, to: null });
      rmSync(ballast);
      append(1000, START + 50); // too soon to try again
      expect(writer.captured).toBe(false);
      append(1000, START + 120);
      expect(writer.captured).toBe(true);
      expect(notices).toEqual([
        { from, to: null, cause: "ENOSPC" },
        { from, to: 61_000, cause: "ENOSPC" },
      ]);
      events.append({ type: "gap", from, to: 61_000 });
      append(1000, START + 121);
      held.dir.writeAtomic("final.json", JSON.stringify(finalOf("s", { output_bytes: 63_000 })), { sync: false });
      expect(readEvents(held.dir).map(({ type, to }) => [type, to])).toEqual([
        ["gap", null],
        ["gap", 61_000],
      ]);
    }
    const gap = notices[1];
    const { chunks, ...rest } = scratch.read("s", { maxBytes: 2 ** 20 });
    expect(rest).toEqual({ next_cursor: 63_000, eof: true, truncated: true });
    for (const { offset, bytes } of chunks) expect(bytes).toEqual(patternAt(offset, bytes.length));
    expect(bytesOf(chunks).length).toBe(63_000 - (61_000 - (gap?.from ?? 0)));
    const inGap = scratch.read("s", { cursor: (gap?.from ?? 0) + 1, maxBytes: 10 });
    expect(inGap.chunks[0]?.offset).toBe(61_000);
    expect([inGap.truncated, inGap.next_cursor]).toEqual([true, 61_010]);
  });

  test("a disk that is full at every other turn loses only what did not fit", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s"));
    const { writer } = held;
    let now = START;
    for (let turn = 0; turn < 8; turn++) {
      const ballast = fill();
      for (let i = 0; i < 20; i++) writer.append("pty", patternAt(writer.produced, 777), (now += 7));
      rmSync(ballast);
      for (let i = 0; i < 40; i++) writer.append("stderr", patternAt(writer.produced, 333), (now += 7));
    }
    expect(writer.gaps).toHaveLength(8);
    writer.flushIndex();
    let cursor = 0;
    let missing = 0;
    using reader = TranscriptReader.open(scratch.layout, "s");
    while (cursor < writer.produced) {
      const { chunks, next_cursor } = reader.read({ cursor, maxBytes: 5000 });
      for (const { offset, bytes } of chunks) {
        expect(bytes).toEqual(patternAt(offset, bytes.length));
        missing += offset - cursor;
        cursor = offset + bytes.length;
      }
      expect(next_cursor).toBe(cursor);
    }
    expect(missing).toBe(writer.gaps.reduce((sum, { from, to }) => sum + (to ?? writer.produced) - from, 0));
  });

  test("final.json is written all the same, in the place that was kept for it", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s"));
    using final = FinalRecord.reserve(held.dir);
    fill();
    const message = "x".repeat(10_000);
    expect(codeOf(() => writeMeta(held.dir, metaOf("s")))).toBe("ENOSPC");
    final.write(finalOf("s", { state: "failed", reason: "spawn_failed", error: { code: "ENOENT", message } }));
    expect(readFinal(held.dir)?.reason).toBe("spawn_failed");
  });

  test("a record that cannot be replaced stays as it was", () => {
    using held = scratch.hold("s");
    writeMeta(held.dir, metaOf("s"));
    fill();
    expect(codeOf(() => writeMeta(held.dir, metaOf("s", { name: "new" })))).toBe("ENOSPC");
    using reader = TranscriptReader.open(scratch.layout, "s");
    expect(reader.session().name).toBeNull();
  });

  test("a session whose place cannot be kept says so and leaves no draft", () => {
    using held = scratch.hold("s");
    fill();
    expect(codeOf(() => FinalRecord.reserve(held.dir))).toBe("ENOSPC");
    expect(readdirSync(scratch.path("s")).filter((name) => name.startsWith("."))).toEqual([]);
  });
});
