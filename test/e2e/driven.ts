/** The session that a test acts on: `x`. */
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../chaos/size.ts";
import type { Bench } from "../support/holt.ts";

export async function start(bench: Bench, script: string, args: string[] = []): Promise<void> {
  expect(await bench.run(["start", "--session-id", "x", ...args, "--", "sh", "-c", script])).toMatchObject({
    exitCode: 0,
  });
}

export async function ended(bench: Bench): Promise<void> {
  await until("it has ended", () => existsSync(join(bench.state, "sessions", "x", "final.json")));
}

export const sees = (bench: Bench, text: string): Promise<void> =>
  until(`it prints ${text}`, () => bench.output("x").includes(text));
