import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePrivateDirectory } from "../../src/platform/fs/own-directory.ts";
import { HoltError } from "../../src/protocol/types/errors.ts";
import { expectedSocketPath, layoutAt, prepareLayout, socketPath, stateRoot } from "../../src/transcript/layout.ts";
import { codeOf } from "./scratch.ts";

const roots: string[] = [];
function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "h-"));
  roots.push(root);
  return root;
}
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe("the state root", () => {
  test("is HOLT_STATE_DIR, made absolute, before anything else", () => {
    expect(stateRoot({ HOLT_STATE_DIR: "/a/b", XDG_STATE_HOME: "/x", HOME: "/h" })).toBe("/a/b");
    expect(stateRoot({ HOLT_STATE_DIR: "rel", HOME: "/h" })).toBe(join(process.cwd(), "rel"));
  });

  /** From an MCP client's JSON, where nothing expands it, "~/x" became a directory called "~" wherever the client stood. */
  test("is refused when HOLT_STATE_DIR begins with a tilde, with the path that was meant", () => {
    const refusal = (path: string): HoltError => {
      try {
        stateRoot({ HOLT_STATE_DIR: path, HOME: "/h" });
      } catch (error) {
        if (error instanceof HoltError) return error;
      }
      throw new Error(`${path} was taken`);
    };
    expect(refusal("~/x")).toMatchObject({
      code: "EBADARGS",
      message: 'HOLT_STATE_DIR begins with "~", which only a shell expands: "~/x"',
      hint: "write the path out: /h/x",
    });
    expect(refusal("~").hint).toBe("write the path out: /h");
    expect(refusal("~ada/x").hint).toBe("write the path out: an absolute path");
    expect(stateRoot({ HOLT_STATE_DIR: "./~/x", HOME: "/h" })).toBe(join(process.cwd(), "~/x"));
  });

  test("is below XDG_STATE_HOME, unless that is relative or empty, which the specification says to ignore", () => {
    expect(stateRoot({ XDG_STATE_HOME: "/x", HOME: "/h" })).toBe("/x/holt");
    expect(stateRoot({ XDG_STATE_HOME: "x", HOME: "/h" })).toBe("/h/.local/state/holt");
    expect(stateRoot({ XDG_STATE_HOME: "", HOLT_STATE_DIR: "", HOME: "/h" })).toBe("/h/.local/state/holt");
    expect(stateRoot({})).toBe(join(homedir(), ".local/state/holt"));
  });
});

describe("the directories", () => {
  test("are made 0700 under any umask, and the caller's umask stays", () => {
    for (const umask of [0o000, 0o022, 0o077, 0o777]) {
      const layout = layoutAt(join(newRoot(), "deep", "state"));
      const before = process.umask(umask);
      try {
        prepareLayout(layout);
      } finally {
        expect(process.umask(before)).toBe(umask);
      }
      for (const path of [layout.root, layout.sessions, layout.run, join(layout.root, "log")]) {
        expect([path, modeOf(path)]).toEqual([path, "700"]);
      }
    }
  });

  /** A root that was there was made 0700 as well, be it a directory that the user shares, or, for root, /srv. */
  test("are brought back to 0700 when they are wider, but a root that was there stays as it is", () => {
    for (const mode of [0o755, 0o1777, 0o2775]) {
      const layout = layoutAt(newRoot());
      chmodSync(layout.root, mode);
      prepareLayout(layout);
      for (const path of [layout.sessions, layout.run, join(layout.root, "log")]) chmodSync(path, 0o777);
      prepareLayout(layout);
      expect(modeOf(layout.root)).toBe(mode.toString(8));
      for (const path of [layout.sessions, layout.run, join(layout.root, "log")])
        expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o700]);
    }
  });

  test("may lie behind a symlink that the user made of the root, but not be one", () => {
    const root = newRoot();
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "link"));
    prepareLayout(layoutAt(join(root, "link")));
    expect(modeOf(join(root, "real", "sessions"))).toBe("700");

    mkdirSync(join(root, "elsewhere"), { mode: 0o755 });
    mkdirSync(join(root, "other"));
    symlinkSync(join(root, "elsewhere"), join(root, "other", "sessions"));
    expect(codeOf(() => prepareLayout(layoutAt(join(root, "other"))))).toBe("EDENIED");
    expect(modeOf(join(root, "elsewhere"))).toBe("755");
  });

  test("are refused when a file or somebody else's directory is in the way", () => {
    const root = newRoot();
    writeFileSync(join(root, "file"), "");
    expect(codeOf(() => ensurePrivateDirectory(join(root, "file")))).toBe("EDENIED");
    if (process.getuid?.() !== 0) return;
    mkdirSync(join(root, "theirs"));
    chownSync(join(root, "theirs"), 65_534, 65_534);
    expect(codeOf(() => ensurePrivateDirectory(join(root, "theirs")))).toBe("EDENIED");
  });
});

describe("a socket's path", () => {
  test("is short, the same each time, and another one for another root or id", () => {
    const [one, two] = [layoutAt("/s/one"), layoutAt("/s/two")];
    expect(socketPath(one, "a")).toMatch(/^\/s\/one\/run\/[0-9a-f]{16}\.sock$/);
    expect(socketPath(one, "a")).toBe(socketPath(one, "a"));
    expect(new Set([socketPath(one, "a"), socketPath(one, "b"), socketPath(two, "a")]).size).toBe(3);
  });

  test("moves to a private directory in /tmp when it would not fit a socket's address", () => {
    const layout = layoutAt(`/s/${"x".repeat(100)}`);
    const directory = `/tmp/holt-${process.getuid?.()}`;
    const wasThere = lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
    const path = socketPath(layout, "a");
    expect(path.startsWith(`${directory}/`)).toBe(true);
    expect(modeOf(directory)).toBe("700");
    expect(expectedSocketPath(layout, "a")).toBe(path);
    expect(expectedSocketPath(layout, "b")).not.toBe(path);
    if (!wasThere) rmSync(directory, { recursive: true });
  });

  test("stays within 104 bytes with its NUL, to the byte", () => {
    const name = "/run/0123456789abcdef.sock";
    const fits = layoutAt(`/${"x".repeat(103 - name.length - 1)}`);
    expect(Buffer.byteLength(socketPath(fits, "a"))).toBe(103);
    const over = layoutAt(`${fits.root}x`);
    expect(expectedSocketPath(over, "a")).not.toStartWith(over.run);
  });
});
