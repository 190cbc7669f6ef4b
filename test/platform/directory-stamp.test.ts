import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directoryStamp, isSettled } from "../../src/platform/fs/directory-stamp.ts";
import { until } from "../chaos/size.ts";

test("a stamp that was settled is another as soon as something comes, goes, or takes a name again", async () => {
  const path = mkdtempSync(join(tmpdir(), "h-"));
  const inner = join(path, "inner");
  const stamps: (string | undefined)[] = [];
  for (const change of [
    () => {},
    () => mkdirSync(inner),
    () => (rmdirSync(inner), mkdirSync(inner)),
    () => rmdirSync(inner),
  ]) {
    change();
    await until("it is settled", () => directoryStamp(path)?.isSettled === true);
    stamps.push(directoryStamp(path)?.text);
  }
  expect(new Set(stamps).size).toBe(4);
  rmdirSync(path);
  expect(directoryStamp(path)).toBeNull();
});

test("a time that was set does not hide a change", async () => {
  const path = mkdtempSync(join(tmpdir(), "h-"));
  await until("it is settled", () => directoryStamp(path)?.isSettled === true);
  const { text: before } = directoryStamp(path) ?? {};
  const { mtime } = statSync(path);
  mkdirSync(join(path, "inner"));
  utimesSync(path, mtime, mtime);
  expect(directoryStamp(path)?.text).not.toBe(before);
  rmSync(path, { recursive: true });
});

test.each([
  { changed: 1000.25, now: 1019, settled: false },
  { changed: 1000.25, now: 1021, settled: true },
  { changed: 1000, now: 2999, settled: false }, // may be a clock of whole seconds
  { changed: 1000, now: 3001, settled: true },
  { changed: 9000.25, now: 1000, settled: false }, // the clock was set back
])("changed at $changed, seen at $now: settled is $settled", ({ changed, now, settled }) => {
  expect(isSettled(changed, now)).toBe(settled);
});
