/**
 * Three parts of one start read the settings, and each checked the file: now they share one check,
 * and no change is missed.
 */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CurrentSettings } from "../../src/daemon/current-settings.ts";

test("reads of one turn share a check; the next turn sees the file as it is", async () => {
  const root = mkdtempSync(join(tmpdir(), "h-settings-"));
  try {
    mkdirSync(join(root, "holt"));
    const write = (seconds: number): void =>
      writeFileSync(join(root, "holt", "config.toml"), `[sessions]\nretention_seconds = ${seconds}\n`);
    write(60);
    const settings = new CurrentSettings({ XDG_CONFIG_HOME: root });
    const retention = (): number => settings.get()["sessions.retention_seconds"];
    await Promise.resolve();
    expect(retention()).toBe(60);
    write(3600);
    expect(retention()).toBe(60);
    await Promise.resolve();
    expect(retention()).toBe(3600);
  } finally {
    rmSync(root, { recursive: true });
  }
});

/**
 * A change in place within the millisecond of a check was not seen until the file changed again.
 */
test("two changes within one clock tick are seen, also with the same length", async () => {
  const root = mkdtempSync(join(tmpdir(), "h-settings-"));
  try {
    mkdirSync(join(root, "holt"));
    const write = (most: number): void =>
      writeFileSync(join(root, "holt", "config.toml"), `[policy]\nmax_sessions = ${most}\n`);
    write(1);
    const settings = new CurrentSettings({ XDG_CONFIG_HOME: root });
    for (let round = 0; round < 200; round++) {
      write(9);
      await Promise.resolve();
      expect(settings.get()["policy.max_sessions"]).toBe(9);
      write(1);
      await Promise.resolve();
      expect(settings.get()["policy.max_sessions"]).toBe(1);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("a directory that is created, removed and created again is seen each time", async () => {
  const root = mkdtempSync(join(tmpdir(), "h-settings-"));
  try {
    const settings = new CurrentSettings({ XDG_CONFIG_HOME: root });
    const most = async (): Promise<number | null> => {
      await Promise.resolve();
      return settings.get()["policy.max_sessions"];
    };
    for (const limit of [3, 4]) {
      expect(await most()).toBe(null);
      mkdirSync(join(root, "holt"));
      expect(await most()).toBe(null);
      writeFileSync(join(root, "holt", "config.toml"), `[policy]\nmax_sessions = ${limit}\n`);
      expect(await most()).toBe(limit);
      rmSync(join(root, "holt"), { recursive: true });
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});

/**
 * The policy in a symlinked directory was off once its target was gone. An empty directory looks
 * the same from within.
 */
test("a dangling symlink in place of the directory is an error", async () => {
  const root = mkdtempSync(join(tmpdir(), "h-settings-"));
  try {
    const elsewhere = join(root, "dotfiles");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(root, "holt"));
    const settings = new CurrentSettings({ XDG_CONFIG_HOME: root });
    const look = async (): Promise<number | string | null> => {
      await Promise.resolve();
      try {
        return settings.get()["policy.max_sessions"];
      } catch (error) {
        return String(error);
      }
    };
    const refused = expect.stringContaining(`cannot read the configuration: ${join(root, "holt")}: ENOENT`);
    expect(await look()).toBe(null);
    for (const limit of [3, 4]) {
      rmSync(elsewhere, { recursive: true });
      expect(await look()).toEqual(refused);
      mkdirSync(elsewhere);
      expect(await look()).toBe(null);
      writeFileSync(join(elsewhere, "config.toml"), `[policy]\nmax_sessions = ${limit}\n`);
      expect(await look()).toBe(limit);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
