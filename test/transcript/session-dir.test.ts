import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { layoutAt } from "../../src/transcript/layout.ts";
import { SessionDir } from "../../src/transcript/session-dir.ts";
import { codeOf, metaOf, plant, Scratch } from "./scratch.ts";

let scratch: Scratch;
beforeAll(() => {
  scratch = new Scratch();
});
afterAll(() => scratch[Symbol.dispose]());

const create = (id: string) => SessionDir.create(scratch.layout, id);
const open = (id: string) => SessionDir.open(scratch.layout, id);

const HOSTILE_IDS = [
  ["the path alias .", "."],
  ["the path alias ..", ".."],
  ["an absolute path", "/etc"],
  ["a way up", "../sessions"],
  ["a way down", "a/b"],
  ["a NUL", "a\0b"],
  ["nothing", ""],
  ["a hidden name", ".hidden"],
  ["129 characters", "x".repeat(129)],
  ["5,000 characters", "x".repeat(5000)],
  ["a newline", "a\n"],
  ["letters that are not ASCII", "ä"],
  ["a backslash", "a\\b"],
] as const;

describe("an id", () => {
  test.each(HOSTILE_IDS)("that is %s is refused for a new session and unknown to readers", (_, id) => {
    const before = readdirSync(scratch.layout.root, { recursive: true });
    expect(codeOf(() => create(id))).toBe("EBADARGS");
    expect(() => open(id)).toThrow(`session not found: ${id}`);
    expect(readdirSync(scratch.layout.root, { recursive: true })).toEqual(before);
  });

  test("of 128 characters can be had", () => {
    using dir = create("x".repeat(128));
    expect(dir.has("meta.json")).toBe(false);
  });

  test("that nobody uses is not found, in the one wording", () => {
    expect(() => open("nobody")).toThrow("session not found: nobody");
    expect(() => SessionDir.open(layoutAt(join(scratch.root, "no-such-root")), "a")).toThrow("session not found: a");
  });
});

describe("a claim", () => {
  test("makes the directory 0700 and its files 0600 under any umask", () => {
    for (const umask of [0o000, 0o777]) {
      const id = `umask-${umask}`;
      const before = process.umask(umask);
      try {
        using held = scratch.hold(id);
        held.dir.writeAtomic("meta.json", "{}", { sync: false });
      } finally {
        process.umask(before);
      }
      expect((statSync(scratch.path(id)).mode & 0o7777).toString(8)).toBe("700");
      for (const name of ["append.lock", "meta.json", "output.bin", "index.jsonl"]) {
        expect([name, (statSync(scratch.path(id, name)).mode & 0o7777).toString(8)]).toEqual([name, "600"]);
      }
    }
  });

  test.each(["meta.json", "final.json"] as const)("to an id that has %s is refused and nothing is touched", (name) => {
    const id = `has-${name}`;
    create(id)[Symbol.dispose]();
    plant(scratch, id, name, "garbage counts too");
    const before = statSync(scratch.path(id));
    expect(() => create(id)).toThrow(`session id "${id}" is taken`);
    expect(codeOf(() => create(id))).toBe("EEXISTS");
    expect(readdirSync(scratch.path(id))).toEqual([name]);
    expect(statSync(scratch.path(id)).mtimeMs).toBe(before.mtimeMs);
  });

  test("adopts what a start that died before its first record left behind", () => {
    scratch.hold("adopted")[Symbol.dispose]();
    plant(scratch, "adopted", "output.bin", "from before");
    using held = scratch.hold("adopted");
    expect(statSync(scratch.path("adopted", "output.bin")).size).toBe(0);
    expect(held.dir.isHeld()).toBe(true);
  });

  test("to an id whose holder lives but has not recorded itself yet is refused", () => {
    using held = scratch.hold("young");
    expect(codeOf(() => create("young"))).toBe("EEXISTS");
    expect(held.dir.isHeld()).toBe(true);
  });

  test("goes to whoever locks first when two adopt one directory", () => {
    using first = create("contended");
    using second = create("contended");
    first.lock();
    first.writeAtomic("meta.json", JSON.stringify(metaOf("contended")), { sync: false });
    expect(codeOf(() => second.lock())).toBe("EEXISTS");
  });

  test("is void when the other one has come and gone meanwhile", () => {
    using late = create("late");
    {
      using early = create("late");
      early.lock();
      early.writeAtomic("meta.json", JSON.stringify(metaOf("late")), { sync: false });
    }
    expect(codeOf(() => late.lock())).toBe("EEXISTS");
  });

  test("is void when the directory was removed or moved meanwhile", () => {
    using removed = create("removed");
    rmSync(scratch.path("removed"), { recursive: true });
    expect(codeOf(() => removed.lock())).toBe("EEXISTS");

    using moved = create("moved");
    renameSync(scratch.path("moved"), scratch.path("moved-away"));
    mkdirSync(scratch.path("moved"));
    expect(codeOf(() => moved.lock())).toBe("EEXISTS");
  });

  test("is proven by the lock as long as its directory object lives", () => {
    const dir = create("proof");
    using watcher = open("proof");
    expect(watcher.isHeld()).toBe(false);
    dir.lock();
    expect(watcher.isHeld()).toBe(true);
    dir[Symbol.dispose]();
    dir[Symbol.dispose]();
    expect(watcher.isHeld()).toBe(false);
  });
});

describe("an atomic write", () => {
  test("leaves the record and no draft", () => {
    using dir = create("atomic");
    dir.writeAtomic("meta.json", "one", { sync: false });
    dir.writeAtomic("meta.json", "two", { sync: true });
    expect(readdirSync(scratch.path("atomic"))).toEqual(["meta.json"]);
  });

  test("that fails leaves the old record and no draft", () => {
    using dir = create("failing");
    mkdirSync(scratch.path("failing", "final.json"));
    expect(codeOf(() => dir.writeAtomic("final.json", "x", { sync: false }))).toBe("EDENIED");
    expect(readdirSync(scratch.path("failing"))).toEqual(["final.json"]);
    expect(existsSync(scratch.path("failing", "final.json"))).toBe(true);
  });
});
