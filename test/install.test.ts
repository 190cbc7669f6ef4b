/** `make install` and `make uninstall`, below a directory of the test's own. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

async function make(target: string, root: string): Promise<void> {
  const env = { PATH: process.env["PATH"], HOME: root };
  const run = Bun.spawn(["make", "-s", target, `DESTDIR=${root}`, "PREFIX=/opt/holt"], {
    cwd: ROOT,
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const stderr = await new Response(run.stderr).text();
  expect({ stderr, code: await run.exited }).toEqual({ stderr: "", code: 0 });
}

test("install puts the executable below PREFIX, and uninstall removes it and nothing else.", async () => {
  const root = mkdtempSync(join(tmpdir(), "install-"));
  try {
    const bin = join(root, "opt/holt/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "other"), "");
    await make("install", root);
    expect(statSync(join(bin, "holt")).mode & 0o777).toBe(0o755);
    const version = Bun.spawn([join(bin, "holt"), "version"], { env: { HOME: root }, stdout: "pipe" });
    expect(await new Response(version.stdout).text()).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await version.exited).toBe(0);
    await make("uninstall", root);
    expect(readdirSync(bin)).toEqual(["other"]);
    await make("uninstall", root);
    expect(existsSync(join(bin, "holt"))).toBe(false);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
