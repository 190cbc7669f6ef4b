import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { layoutAt, socketPath } from "../../src/transcript/layout.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { writeMeta } from "../../src/transcript/records.ts";
import {
  type CleanupDecision,
  type CleanupRecord,
  removeSession,
  type SweepOptions,
  sweep,
} from "../../src/transcript/retention/retention.ts";
import { bytesOf, codeOf, finalOf, metaOf, plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch[Symbol.dispose]());

const ENDED = Date.UTC(2026, 0, 2, 3, 4, 6, 680); // as finalOf() says; retention there is 3600 s
const HOUR = 3_600_000;

function verdicts(options: SweepOptions): Record<string, [CleanupDecision["result"], string]> {
  const decisions = sweep(scratch.layout, options);
  return Object.fromEntries(decisions.map(({ session_id, result, reason }) => [session_id, [result, reason]]));
}

function touch(id: string, seconds: number): void {
  for (const name of readdirSync(scratch.path(id))) utimesSync(scratch.path(id, name), seconds, seconds);
  utimesSync(scratch.path(id), seconds, seconds);
}

describe("a sweep", () => {
  test("keeps what has not expired and removes what has, to the millisecond", () => {
    scratch.end("s", { output: "x" });
    expect(verdicts({ now: ENDED + HOUR - 1 })).toEqual({ s: ["kept", "not_expired"] });
    expect(verdicts({ now: ENDED + HOUR })).toEqual({ s: ["removed", "expired"] });
    expect(readdirSync(scratch.layout.sessions)).toEqual([]);
  });

  test("goes by each session's own retention", () => {
    scratch.end("short", { meta: { retention_seconds: 1 } });
    scratch.end("long", { meta: { retention_seconds: 86_400 } });
    expect(verdicts({ now: ENDED + HOUR, ttlSeconds: 5 })).toEqual({
      short: ["removed", "expired"],
      long: ["kept", "not_expired"],
    });
  });

  test("never removes a session whose lock is held, however old, readable or not", () => {
    using held = scratch.hold("alive");
    writeMeta(held.dir, metaOf("alive", { retention_seconds: 1 }));
    using unreadable = scratch.hold("starting");
    expect(unreadable.dir.isHeld()).toBe(true);
    for (const id of ["alive", "starting"]) touch(id, 1000);
    expect(verdicts({ now: ENDED + 1000 * HOUR, quotaBytes: 0 })).toEqual({
      alive: ["kept", "active_session"],
      starting: ["kept", "active_session"],
    });
    expect(new Set(readdirSync(scratch.layout.sessions))).toEqual(new Set(["alive", "starting"]));
  });

  // It was counted from what it last printed: of a server that was quiet for a day and whose holder was then killed, all was removed with the next look.
  test("counts a lost session from when it was first missed, however long it had been quiet", () => {
    scratch.lose("lost");
    touch("lost", 1_700_000_000);
    const missed = 1_700_000_000_000 + 2 * HOUR;
    const kept: ReturnType<typeof verdicts> = { lost: ["kept", "not_expired"] };
    expect(verdicts({ now: missed - 1, dryRun: true })).toEqual(kept);
    expect(verdicts({ now: missed })).toEqual(kept);
    expect(verdicts({ now: missed + HOUR - 1 })).toEqual(kept);
    expect(verdicts({ now: missed + HOUR, dryRun: true })).toEqual({ lost: ["removed", "expired"] });
    expect(verdicts({ now: missed + HOUR })).toEqual({ lost: ["removed", "expired"] });
  });

  test("counts an unreadable directory from the newest mtime of it and its children", () => {
    for (const id of ["empty", "garbage", "fresh-child", "fresh-itself"]) mkdirSync(scratch.path(id));
    plant(scratch, "garbage", "meta.json", "{");
    plant(scratch, "fresh-child", "output.bin", "x");
    for (const id of ["empty", "garbage", "fresh-child", "fresh-itself"]) touch(id, 1_700_000_000);
    utimesSync(scratch.path("fresh-child", "output.bin"), 1_700_001_000, 1_700_001_000);
    utimesSync(scratch.path("fresh-itself"), 1_700_001_000, 1_700_001_000);
    expect(verdicts({ now: 1_700_000_500_000, ttlSeconds: 500 })).toEqual({
      empty: ["removed", "unreadable_expired"],
      garbage: ["removed", "unreadable_expired"],
      "fresh-child": ["kept", "unreadable_not_expired"],
      "fresh-itself": ["kept", "unreadable_not_expired"],
    });
    expect(verdicts({ now: 1_700_000_500_000 + 23 * HOUR })).toEqual({
      "fresh-child": ["kept", "unreadable_not_expired"],
      "fresh-itself": ["kept", "unreadable_not_expired"],
    });
  });

  test("tells of what it cannot even look at, and leaves it", () => {
    writeFileSync(scratch.path("file"), "");
    symlinkSync("/", scratch.path("link"));
    expect(verdicts({ now: ENDED + 1000 * HOUR })).toEqual({
      file: ["error", "unreadable_stat_error"],
      link: ["error", "unreadable_stat_error"],
    });
    expect(new Set(readdirSync(scratch.layout.sessions))).toEqual(new Set(["file", "link"]));
  });

  test.skipIf(process.getuid?.() !== 0)("tells of what it cannot remove, which stays under its name", () => {
    scratch.end("stuck");
    mkdirSync(scratch.path("stuck", "busy"));
    Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=4k", "holt-test", scratch.path("stuck", "busy")]);
    try {
      expect(verdicts({ now: ENDED + HOUR })).toEqual({ stuck: ["error", "remove_error"] });
      expect(readdirSync(scratch.layout.sessions)).toEqual(["stuck"]);
    } finally {
      Bun.spawnSync(["umount", scratch.path("stuck", "busy")]);
    }
  });

  /** A `holt run` whose clock was two days ahead for a moment removed 584 ended sessions, and no clock that was right again brought them back. */
  describe("that nobody asked for", () => {
    const MINUTES = 60_000;
    const sweepAt = (wall: number, uptime_ms: number, options: SweepOptions = {}) =>
      verdicts({ now: wall, uptime: { boot_id: "b", uptime_ms }, expired: "mark", ...options });
    const marks = (): string[] =>
      readFileSync(join(scratch.layout.root, "log", "expiring"), "utf8")
        .split("\n")
        .slice(0, -1);

    test("marks what has expired, and removes it when ten minutes have passed", () => {
      scratch.end("s");
      const DUE = ENDED + HOUR;
      expect(sweepAt(DUE, 5 * MINUTES)).toEqual({ s: ["kept", "expired"] });
      expect(sweepAt(DUE + 48 * HOUR, 15 * MINUTES - 1)).toEqual({ s: ["kept", "expired"] });
      expect(statSync(join(scratch.layout.root, "log", "expiring")).mode & 0o777).toBe(0o600);
      expect(sweepAt(DUE, 15 * MINUTES)).toEqual({ s: ["removed", "expired"] });
      sweepAt(DUE, 15 * MINUTES);
      expect(marks()).toEqual([]);
    });

    test("takes the mark away when the clock is right again", () => {
      scratch.end("s");
      expect(sweepAt(ENDED + 48 * HOUR, 1)).toEqual({ s: ["kept", "expired"] });
      expect(sweepAt(ENDED + 1, 2)).toEqual({ s: ["kept", "not_expired"] });
      expect(marks()).toEqual([]);
      expect(sweepAt(ENDED + 48 * HOUR, 30 * MINUTES)).toEqual({ s: ["kept", "expired"] });
    });

    test("does the same with a directory that cannot be read, whose time the mark does not change", () => {
      mkdirSync(scratch.path("garbage"));
      plant(scratch, "garbage", "meta.json", "{");
      touch("garbage", 1_700_000_000);
      const wall = 1_700_000_000_000 + 25 * HOUR;
      expect(sweepAt(wall, 0)).toEqual({ garbage: ["kept", "unreadable_expired"] });
      expect(sweepAt(wall, 10 * MINUTES - 1)).toEqual({ garbage: ["kept", "unreadable_expired"] });
      expect(sweepAt(wall, 10 * MINUTES)).toEqual({ garbage: ["removed", "unreadable_expired"] });
    });

    test("a mark is the session's, not its id's", () => {
      scratch.end("s");
      sweepAt(ENDED + HOUR, 0);
      removeSession(scratch.layout, "s");
      scratch.end("s", { meta: { created_at: "2026-01-02T03:04:05.000Z" } });
      expect(sweepAt(ENDED + HOUR, 60 * MINUTES)).toEqual({ s: ["kept", "expired"] });
    });

    test("lets the quota take what is marked, before anything that is younger", () => {
      scratch.end("old", { output: "x".repeat(100_000) });
      scratch.end("new", { final: { ended_at: new Date(ENDED + HOUR).toISOString() } });
      expect(sweepAt(ENDED + HOUR, 0, { quotaBytes: 60_000 })).toEqual({
        old: ["removed", "quota"],
        new: ["kept", "not_expired"],
      });
    });

    test("without its marks, or with damaged ones, removes nothing, and says that it cannot keep them", () => {
      scratch.end("s");
      const expiring = join(scratch.layout.root, "log", "expiring");
      sweepAt(ENDED + HOUR, 0);
      writeFileSync(expiring, readFileSync(expiring, "utf8").slice(0, -5));
      expect(sweepAt(ENDED + HOUR, 60 * MINUTES)).toEqual({ s: ["kept", "expired"] });
      rmSync(expiring);
      mkdirSync(expiring);
      expect(() => sweepAt(ENDED + HOUR, 60 * MINUTES)).toThrow("expiring");
      expect(readdirSync(scratch.layout.sessions)).toEqual(["s"]);
    });

    test("counts a lost session from when it was missed, also where the clock was back then", () => {
      scratch.lose("lost");
      touch("lost", 1_700_000_000);
      const back = 1_700_000_000_000 + HOUR;
      expect(sweepAt(back, 0)).toEqual({ lost: ["kept", "not_expired"] });
      expect(sweepAt(ENDED, HOUR - 1)).toEqual({ lost: ["kept", "not_expired"] });
      expect(sweepAt(ENDED, HOUR)).toEqual({ lost: ["kept", "expired"] });
    });

    test("is not waited for by a person", () => {
      scratch.end("s");
      expect(sweepAt(ENDED + HOUR, 0)).toEqual({ s: ["kept", "expired"] });
      expect(verdicts({ now: ENDED + HOUR, dryRun: true })).toEqual({ s: ["removed", "expired"] });
      expect(verdicts({ now: ENDED + HOUR })).toEqual({ s: ["removed", "expired"] });
    });
  });

  test("frees the quota from the oldest ended session on, and counts what lives", () => {
    const output = "x".repeat(100_000);
    for (const [id, hour] of [
      ["old", 1],
      ["older", 0],
      ["new", 3],
      ["newer", 4],
    ] as const) {
      scratch.end(id, { output, final: { ended_at: new Date(ENDED + hour * 60_000).toISOString() } });
    }
    using held = scratch.hold("alive");
    writeMeta(held.dir, metaOf("alive"));
    held.writer.append("pty", Buffer.from(output), Date.now());
    expect(verdicts({ now: ENDED + 300_000, quotaBytes: 400_000 })).toEqual({
      older: ["removed", "quota"],
      old: ["removed", "quota"],
      new: ["kept", "not_expired"],
      newer: ["kept", "not_expired"],
      alive: ["kept", "active_session"],
    });
    expect(verdicts({ now: ENDED + 300_000, quotaBytes: 0 })).toMatchObject({
      new: ["removed", "quota"],
      alive: ["kept", "active_session"],
    });
  });

  test("counts a sparse file by what it takes on disk", () => {
    scratch.end("sparse");
    Bun.spawnSync(["truncate", "-s", "10G", scratch.path("sparse", "output.bin")]);
    const [decision] = sweep(scratch.layout, { now: ENDED });
    expect(decision?.bytes).toBeLessThan(100_000);
  });

  test("that is only tried removes nothing and says what would go", () => {
    scratch.end("s");
    mkdirSync(scratch.path(".removed-half"));
    expect(verdicts({ now: ENDED + HOUR, dryRun: true })).toEqual({ s: ["removed", "expired"] });
    expect(new Set(readdirSync(scratch.layout.sessions))).toEqual(new Set(["s", ".removed-half"]));
  });

  test("finishes what a removal that was killed left half done", () => {
    mkdirSync(scratch.path(".removed-half", "keyframes"), { recursive: true });
    writeFileSync(scratch.path(".removed-half", "keyframes", "1"), "");
    expect(verdicts({})).toEqual({});
    expect(readdirSync(scratch.layout.sessions)).toEqual([]);
  });

  test("logs each decision under the names of the log", () => {
    scratch.end("s", { output: "x" });
    const records: CleanupRecord[] = [];
    sweep(scratch.layout, { now: ENDED + HOUR, log: (record) => records.push(record) });
    expect(records).toEqual([
      { session_id: "s", cleanup_result: "removed", cleanup_reason: "expired", bytes: expect.any(Number) },
    ]);
  });

  /**
   * Each `holt run` starts a sweep, and each sweep logged each session that it kept: with 300 of them 54 KB a command, so
   * that rotation threw away within the hour what somebody would have looked for.
   */
  test("tells the log of what it keeps once, again for a new reason, and of errors each time", () => {
    const told: string[] = [];
    const look = (): string[] => {
      const log = ({ session_id, cleanup_reason }: CleanupRecord): void =>
        void told.push(`${session_id} ${cleanup_reason}`);
      sweep(scratch.layout, { now: ENDED, log });
      return told.splice(0).toSorted();
    };
    scratch.end("old");
    {
      using held = scratch.hold("live");
      writeMeta(held.dir, metaOf("live"));
      expect(look()).toEqual(["live active_session", "old not_expired"]);
      expect(look()).toEqual([]);
      held.dir.writeAtomic("final.json", JSON.stringify(finalOf("live")), { sync: false });
    }
    scratch.end("new");
    expect(look()).toEqual(["live not_expired", "new not_expired"]);
    writeFileSync(scratch.path("file"), "");
    for (let round = 0; round < 2; round++) expect(look()).toEqual(["file unreadable_stat_error"]);
    removeSession(scratch.layout, "old");
    expect(look()).toEqual(["file unreadable_stat_error"]);
    scratch.end("old");
    expect(look()).toEqual(["file unreadable_stat_error", "old not_expired"]);
  });

  test("that cannot remember what it told tells it again, and writes through no link", () => {
    scratch.end("s");
    const precious = join(scratch.root, "precious");
    writeFileSync(precious, "untouched");
    symlinkSync(precious, join(scratch.layout.root, "log", "kept"));
    for (let round = 0; round < 2; round++) {
      const records: CleanupRecord[] = [];
      sweep(scratch.layout, { now: ENDED, log: (record) => records.push(record) });
      expect(records).toMatchObject([{ session_id: "s", cleanup_reason: "not_expired" }]);
    }
    expect(readFileSync(precious, "utf8")).toBe("untouched");
  });

  test("that is only tried, or not logged, counts as told to nobody", () => {
    scratch.end("s");
    verdicts({ now: ENDED, dryRun: true });
    verdicts({ now: ENDED });
    const records: CleanupRecord[] = [];
    sweep(scratch.layout, { now: ENDED, log: (record) => records.push(record) });
    expect(records).toHaveLength(1);
  });

  test("of a root that is not there is nothing", () => {
    expect(sweep(layoutAt(join(scratch.root, "nowhere")))).toEqual([]);
  });
});

describe("removing", () => {
  let server: Server | null = null;
  afterEach(() => {
    server?.close();
    server = null;
  });

  const listen = (path: string): Promise<void> => {
    server = createServer();
    return new Promise((resolve) => server?.listen(path, resolve));
  };

  test("takes the session with its socket, when that is the one it should have", async () => {
    const socket = socketPath(scratch.layout, "s");
    await listen(socket);
    scratch.end("s", { meta: { socket } });
    removeSession(scratch.layout, "s");
    expect([existsSync(scratch.path("s")), existsSync(socket)]).toEqual([false, false]);
  });

  test("touches no other path that meta.json names as its socket", async () => {
    const precious = join(scratch.root, "precious.sock");
    await listen(precious);
    scratch.end("s", { meta: { socket: precious } });
    removeSession(scratch.layout, "s");
    expect(existsSync(precious)).toBe(true);
    writeFileSync(socketPath(scratch.layout, "t"), "a file, no socket");
    scratch.end("t", { meta: { socket: socketPath(scratch.layout, "t") } });
    removeSession(scratch.layout, "t");
    expect(existsSync(socketPath(scratch.layout, "t"))).toBe(true);
    rmSync(socketPath(scratch.layout, "t"));
  });

  test("a session that runs is refused, and one that is not there is not found", () => {
    using held = scratch.hold("alive");
    writeMeta(held.dir, metaOf("alive"));
    expect(codeOf(() => removeSession(scratch.layout, "alive"))).toBe("EBUSY");
    expect(codeOf(() => removeSession(scratch.layout, "nobody"))).toBe("ENOTFOUND");
    expect(codeOf(() => removeSession(scratch.layout, "../sessions"))).toBe("ENOTFOUND");
    expect(held.dir.has("meta.json")).toBe(true);
  });

  test("a session leaves those who are reading it with all of it", () => {
    scratch.end("s", { output: "still here" });
    using reader = TranscriptReader.open(scratch.layout, "s");
    reader.read({ cursor: 0, maxBytes: 1 });
    removeSession(scratch.layout, "s");
    expect(bytesOf(reader.read({ cursor: 0, maxBytes: 100 }).chunks).toString()).toBe("still here");
    expect(codeOf(() => reader.session())).toBe("ENOTFOUND");
    expect(codeOf(() => scratch.read("s"))).toBe("ENOTFOUND");
  });
});
