/**
 * Under qemu-user the daemon took its executable for replaced: asked for the path /proc/self/exe, the kernel tells of the emulator, while who
 * opens it is given the emulated program. It made room for another daemon, which did the same.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { collect } from "../support/holt.ts";

const EMULATOR = Bun.which(process.arch === "arm64" ? "qemu-aarch64-static" : "qemu-x86_64-static");
const MODULE = join(import.meta.dir, "../../src/platform/process/own-executable.ts");
const TELL = `console.log((await import(${JSON.stringify(MODULE)})).executableState())`;

if (EMULATOR === null)
  console.error("\n!!! NOT TRIED: the executable in an emulator: there is no qemu-user-static for this processor\n");

async function expectCurrent(before: readonly string[]): Promise<void> {
  const argv = [...before, process.execPath, "-e", TELL];
  const { text, stderr } = await collect(argv, { stdin: "", env: process.env as Record<string, string>, cwd: "/" });
  expect({ text, stderr }).toEqual({ text: "current\n", stderr: "" });
}

test("The executable that runs is the current one.", () => expectCurrent([]));

test.skipIf(EMULATOR === null)("The executable that runs in an emulator is the current one.", () =>
  expectCurrent([EMULATOR as string]),
);
