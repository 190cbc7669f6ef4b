import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as node from "node:fs";
import { constants as os, tmpdir } from "node:os";
import { join } from "node:path";
import { errnoName, fileConstants, signalNameOf, signalNumberOf } from "../../src/platform/native/constants.ts";
import * as ours from "../../src/platform/fs/libc-fs.ts";
import { entryStat, fileStat, isSameFile, kindOf, pathStat } from "../../src/platform/fs/stat.ts";

let dir = "";
beforeEach(() => {
  dir = node.mkdtempSync(join(tmpdir(), "h-"));
});
afterEach(() => node.rmSync(dir, { recursive: true }));

const codeOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
  return "no error";
};

describe("the numbers of the platform are those of the runtime", () => {
  test("open flags", () => {
    for (const [name, value] of Object.entries(fileConstants))
      expect([name, value]).toEqual([name, node.constants[name as "O_RDWR"]]);
  });

  test("errors: each number has a name that the runtime gives it too", () => {
    const known = new Map<string, number>(Object.entries(os.errno));
    for (const number of new Set(known.values()))
      expect([number, known.get(errnoName(number))]).toEqual([number, number]);
    expect(errnoName(41)).toBe("errno 41");
    expect(errnoName(0)).toBe("errno 0");
    expect(errnoName(4095)).toBe("errno 4095");
  });

  test("signals, both ways", () => {
    const known = new Map<string, number>(Object.entries(os.signals));
    for (let number = 1; number <= 31; number++) {
      const name = signalNameOf(number) ?? "";
      expect([name, known.get(name)]).toEqual([name, number]);
      expect(signalNumberOf(name)).toBe(number);
    }
    expect(signalNameOf(0)).toBeNull();
    expect(signalNameOf(32)).toBeNull();
    expect(signalNumberOf("SIGNOTHING")).toBeNull();
  });
});

describe("what a file is", () => {
  test("agrees with the runtime on files, directories, sockets and links", async () => {
    const file = join(dir, "file");
    node.writeFileSync(file, "12345", { mode: 0o640 });
    node.symlinkSync("file", join(dir, "link"));
    node.symlinkSync("nowhere", join(dir, "dangling"));
    using _listener = Bun.listen({ unix: join(dir, "socket"), socket: { data() {} } });
    for (const path of [file, dir, join(dir, "link"), join(dir, "socket"), "/dev/null", "/proc/self/stat"]) {
      const { mode, uid, ino, size, mtimeMs } = node.statSync(path);
      expect(pathStat(path)).toMatchObject({ mode, uid, ino, size });
      if (!path.startsWith("/proc")) expect(pathStat(path).mtimeMs).toBe(Math.floor(mtimeMs));
    }
    expect([file, dir, join(dir, "socket"), "/dev/null"].map((path) => kindOf(pathStat(path)))).toEqual([
      "file",
      "directory",
      "socket",
      "other",
    ]);
    expect(kindOf(entryStat(join(dir, "link")) ?? pathStat("/"))).toBe("symlink");
    expect(entryStat(join(dir, "dangling"))).not.toBeNull();
    expect(entryStat(join(dir, "none"))).toBeNull();
    expect(codeOf(() => pathStat(join(dir, "dangling")))).toBe("ENOENT");
  });

  test("two looks at one file are the same, at another with its content are not", () => {
    node.writeFileSync(join(dir, "a"), "x");
    node.writeFileSync(join(dir, "b"), "x");
    node.linkSync(join(dir, "a"), join(dir, "c"));
    expect(isSameFile(pathStat(join(dir, "a")), entryStat(join(dir, "c")))).toBe(true);
    expect(isSameFile(pathStat(join(dir, "a")), entryStat(join(dir, "b")))).toBe(false);
    expect(isSameFile(pathStat(join(dir, "a")), entryStat(join(dir, "none")))).toBe(false);
  });

  test("a size beyond four gigabytes", () => {
    const fd = ours.openSync(join(dir, "big"), fileConstants.O_RDWR | fileConstants.O_CREAT, 0o600);
    try {
      ours.ftruncateSync(fd, 5 * 2 ** 30 + 7);
      expect(fileStat(fd).size).toBe(5 * 2 ** 30 + 7);
      expect(ours.writeSync(fd, Buffer.from("end"), 5 * 2 ** 30)).toBe(3);
      const back = Buffer.alloc(16);
      expect(ours.readSync(fd, back, 5 * 2 ** 30)).toBe(7);
      expect(back.toString("latin1", 0, 3)).toBe("end");
    } finally {
      ours.closeSync(fd);
    }
  });
});

describe("file calls", () => {
  test("a whole file is read, whether or not it tells its size", () => {
    for (const size of [0, 1, 4095, 4096, 4097, 300_000]) {
      node.writeFileSync(join(dir, "file"), Buffer.alloc(size, "ab"));
      expect(node.readFileSync(join(dir, "file")).equals(ours.readFileSync(join(dir, "file")))).toBe(true);
    }
    expect(node.readFileSync("/proc/self/environ").equals(ours.readFileSync("/proc/self/environ"))).toBe(true);
    expect(ours.readFileSync("/proc/kallsyms").length).toBe(node.readFileSync("/proc/kallsyms").length);
  });

  test("a directory's names are the runtime's", () => {
    for (let i = 0; i < 500; i++) node.writeFileSync(join(dir, `ä name ${i}`), "");
    expect(ours.readdirSync(dir).toSorted()).toEqual(node.readdirSync(dir).toSorted());
    expect(codeOf(() => ours.readdirSync(join(dir, "none")))).toBe("ENOENT");
  });

  test("directories are made with the parents that are missing, and are found when they are there", () => {
    const path = join(dir, "a", "b", "c");
    ours.makeDirectories(path, 0o700);
    ours.makeDirectories(path, 0o700);
    expect(node.statSync(path).mode & 0o777).toBe(0o700);
    node.writeFileSync(join(dir, "file"), "");
    expect(codeOf(() => ours.makeDirectories(join(dir, "file"), 0o700))).toBe("EEXIST");
    expect(codeOf(() => ours.makeDirectories(join(dir, "file", "below"), 0o700))).toBe("ENOTDIR");
    expect(ours.makeDirectory(join(dir, "a"), 0o700)).toBe(false);
  });

  test("a name with a NUL inside is refused, not cut", () => {
    node.writeFileSync(join(dir, "file"), "");
    expect(codeOf(() => ours.openSync(`${dir}/file\0.txt`, 0))).toBe("EINVAL");
    expect(codeOf(() => ours.unlinkIfThere(`${dir}/file\0`))).toBe("EINVAL");
    expect(node.existsSync(join(dir, "file"))).toBe(true);
  });

  test("no child inherits what was opened", () => {
    const fd = ours.openSync("/dev/null", fileConstants.O_RDONLY);
    try {
      const flags = Number.parseInt(
        /flags:\s*(\d+)/.exec(node.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1] ?? "",
        8,
      );
      expect(flags & 0o2000000).toBe(0o2000000);
    } finally {
      ours.closeSync(fd);
    }
  });

  test("errors carry their name, the call and what it was about", () => {
    expect(() => ours.openSync(join(dir, "none"), 0)).toThrow(`ENOENT: open ${join(dir, "none")}`);
    expect(codeOf(() => ours.closeSync(1_000_000))).toBe("EBADF");
    expect(codeOf(() => ours.writeSync(1_000_000, "x"))).toBe("EBADF");
  });

  test("links, times, and what may be executed", () => {
    node.symlinkSync("/a/b c", join(dir, "link"));
    expect(ours.readlinkSync(join(dir, "link"))).toBe("/a/b c");
    node.writeFileSync(join(dir, "file"), "");
    node.utimesSync(join(dir, "file"), 1, 1);
    ours.touch(join(dir, "file"));
    expect(Math.abs(pathStat(join(dir, "file")).mtimeMs - Date.now())).toBeLessThan(3_600_000);
    expect(ours.executionErrno(join(dir, "file"))).toBe("EACCES");
    expect(ours.executionErrno(join(dir, "missing"))).toBe("ENOENT");
    expect(ours.executionErrno("/bin/sh")).toBeNull();
  });
});
