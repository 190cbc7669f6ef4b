/** Every artifact, replaced by whatever could lead a reader or a writer astray. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { listSessions, resolveSession } from "../../src/transcript/read/catalog.ts";
import { EventLog } from "../../src/transcript/write/events.ts";
import { readEvents } from "../../src/transcript/read/read-events.ts";
import { TranscriptReader } from "../../src/transcript/read/reader.ts";
import { FinalRecord, writeMeta } from "../../src/transcript/records.ts";
import { readFinal, readMeta } from "../../src/transcript/read/read-records.ts";
import { removeSession, sweep } from "../../src/transcript/retention/retention.ts";
import { type Artifact, SessionDir } from "../../src/transcript/session-dir.ts";
import { CommandLog, readCommands } from "../../src/transcript/read/commands-file.ts";
import { TranscriptWriter } from "../../src/transcript/write/writer.ts";
import { codeOf, finalOf, metaOf, Scratch } from "./scratch.ts";

let scratch: Scratch;
let outside: string;
beforeEach(() => {
  scratch = new Scratch();
  outside = join(scratch.root, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
});
afterEach(() => scratch[Symbol.dispose]());

const ARTIFACTS: Artifact[] = [
  "meta.json",
  "final.json",
  "output.bin",
  "index.jsonl",
  "events.jsonl",
  "commands.jsonl",
  "append.lock",
];

type Trap = [name: string, set: (path: string) => void];
const TRAPS: Trap[] = [
  ["a symlink to a file outside", (path) => symlinkSync(join(outside, "secret"), path)],
  ["a dangling symlink", (path) => symlinkSync(join(outside, "made-by-holt"), path)],
  ["a symlink to its own neighbour", (path) => symlinkSync("other", path)],
  ["a symlink to a directory", (path) => symlinkSync(outside, path)],
  ["a FIFO", (path) => void Bun.spawnSync(["mkfifo", path])],
  ["a directory", (path) => mkdirSync(path)],
];

/** What touches each artifact, in the ways the program does. */
const USES: Record<Artifact, { read: (dir: SessionDir) => unknown; write: (dir: SessionDir) => unknown }> = {
  "meta.json": { read: readMeta, write: (dir) => writeMeta(dir, metaOf("s")) },
  "final.json": {
    read: readFinal,
    write: (dir) => {
      using final = FinalRecord.reserve(dir);
      final.write(finalOf("s"));
    },
  },
  "output.bin": {
    read: () => readAll(),
    write: (dir) => TranscriptWriter.create(dir, { maxBytes: 1 })[Symbol.dispose](),
  },
  "index.jsonl": {
    read: () => readAll(),
    write: (dir) => TranscriptWriter.create(dir, { maxBytes: 1 })[Symbol.dispose](),
  },
  "events.jsonl": { read: readEvents, write: (dir) => EventLog.open(dir)[Symbol.dispose]() },
  "commands.jsonl": {
    read: (dir) => readCommands(dir, 1),
    write: (dir) => new CommandLog(dir, "bash")[Symbol.dispose](),
  },
  "append.lock": { read: (dir) => dir.isHeld(), write: (dir) => dir.lock() },
};

function readAll(): void {
  using reader = TranscriptReader.open(scratch.layout, "s");
  reader.read({ cursor: 0, maxBytes: 100 });
}

describe.each(ARTIFACTS)("%s", (artifact) => {
  test.each(TRAPS)("replaced by %s is refused for reads and writes", (_, set) => {
    using dir = SessionDir.create(scratch.layout, "s");
    set(scratch.path("s", artifact));
    const before = lstatSync(scratch.path("s", artifact)).ino;
    for (const mode of ["read", "write", "create"] as const) {
      expect([mode, codeOf(() => dir.openArtifact(artifact, mode))]).toEqual([mode, "EDENIED"]);
    }
    expect(codeOf(() => dir.has(artifact))).toBe("EDENIED");
    expect(codeOf(() => USES[artifact].read(dir))).toBe("EDENIED");
    expect(codeOf(() => USES[artifact].write(dir))).toBe("EDENIED");
    // Nothing was followed, made or replaced, and no draft is left.
    expect(lstatSync(scratch.path("s", artifact)).ino).toBe(before);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readdirSync(scratch.path("s")).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test.each(TRAPS)("replaced by %s keeps its id from being claimed, listed or resolved", (_, set) => {
    scratch.end("whole");
    scratch.end("s");
    rmSync(scratch.path("s", artifact), { force: true });
    set(scratch.path("s", artifact));
    expect(["EDENIED", "EEXISTS"]).toContain(codeOf(() => SessionDir.create(scratch.layout, "s")));
    expect(listSessions(scratch.layout).map(({ session_id }) => session_id)).toContain("whole");
    codeOf(() => resolveSession(scratch.layout, "s"));
    sweep(scratch.layout, { now: Date.now() + 10 * 365 * 86_400_000 });
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    expect(readdirSync(outside)).toEqual(["secret"]);
  });
});

describe("a session directory", () => {
  test.each([
    ["a symlink to a real session elsewhere", () => symlinkSync(join(outside, "session"), scratch.path("s"))],
    ["a dangling symlink", () => symlinkSync(join(outside, "nowhere"), scratch.path("s"))],
    ["a symlink to the directory above", () => symlinkSync("..", scratch.path("s"))],
    ["a file", () => writeFileSync(scratch.path("s"), "")],
  ] as const)("that is %s is refused, listed by nobody and never removed", (_, set) => {
    scratch.end("session");
    Bun.spawnSync(["cp", "-r", scratch.path("session"), join(outside, "session")]);
    set();
    const before = new Set(readdirSync(outside, { recursive: true, encoding: "utf8" }));
    expect(codeOf(() => SessionDir.open(scratch.layout, "s"))).toBe("EDENIED");
    expect(codeOf(() => SessionDir.create(scratch.layout, "s"))).toBe("EDENIED");
    expect(codeOf(() => TranscriptReader.open(scratch.layout, "s"))).toBe("EDENIED");
    expect(listSessions(scratch.layout).map(({ session_id }) => session_id)).toEqual(["session"]);
    const decisions = sweep(scratch.layout, { now: Date.now() + 10 * 365 * 86_400_000 });
    expect(decisions.find(({ session_id }) => session_id === "s")).toEqual({
      session_id: "s",
      result: "error",
      reason: "unreadable_stat_error",
      bytes: 0,
    });
    expect(lstatSync(scratch.path("s"))).toBeDefined();
    expect(new Set(readdirSync(outside, { recursive: true, encoding: "utf8" }))).toEqual(before);
  });

  test("that is swapped for a symlink while it is open keeps leading to where it led", () => {
    scratch.end("s", { output: "ours" });
    using reader = TranscriptReader.open(scratch.layout, "s");
    rmSync(scratch.path("s", "meta.json"));
    mkdirSync(join(outside, "fake"));
    writeFileSync(join(outside, "fake", "output.bin"), "theirs");
    Bun.spawnSync(["mv", scratch.path("s"), join(scratch.root, "moved")]);
    symlinkSync(join(outside, "fake"), scratch.path("s"));
    expect(Buffer.from(reader.read({ cursor: 0, maxBytes: 10 }).chunks[0]?.bytes ?? []).toString()).toBe("ours");
  });

  test("that is removed with links in it takes the links and leaves what they point to", () => {
    scratch.end("s");
    symlinkSync(join(outside, "secret"), scratch.path("s", "link"));
    symlinkSync(outside, scratch.path("s", "keyframes"));
    mkdirSync(scratch.path("s", "deep"));
    symlinkSync(outside, scratch.path("s", "deep", "way-out"));
    sweep(scratch.layout, { now: Date.now() + 10 * 365 * 86_400_000 });
    expect(existsSync(scratch.path("s"))).toBe(false);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
  });
});

test("a sessions directory that is a symlink is refused by everybody", () => {
  scratch.end("s");
  Bun.spawnSync(["mv", scratch.layout.sessions, join(outside, "sessions")]);
  symlinkSync(join(outside, "sessions"), scratch.layout.sessions);
  const { layout } = scratch;
  for (const use of [
    () => SessionDir.open(layout, "s"),
    () => SessionDir.create(layout, "t"),
    () => listSessions(layout),
    () => resolveSession(layout, "s"),
    () => sweep(layout, { now: Date.now() + 10 * 365 * 86_400_000 }),
    () => removeSession(layout, "s"),
  ]) {
    expect(codeOf(use)).toBe("EDENIED");
  }
  expect(readdirSync(join(outside, "sessions"))).toEqual(["s"]);
});

test("names of artifacts that are no names are refused by the way to them", () => {
  using dir = SessionDir.create(scratch.layout, "s");
  for (const name of ["..", ".", "a/b", "/etc/passwd", "../s/meta.json", "meta.json\0"]) {
    expect([name, codeOf(() => dir.openArtifact(name as Artifact, "read"))]).toEqual([name, "EDENIED"]);
  }
});
