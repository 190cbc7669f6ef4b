/**
 * Retention beside sessions that no daemon started; those that one started it looks after itself.
 *
 * Found in a trace of one start: behind every session in the background came a look at all sessions, by a process of its own, at most two a second. With 600 ended ones
 * that takes a tenth of a second of a processor, with 5,000 half a second: less than what a program that starts a command each second keeps within a day.
 */
import { expect, test } from "bun:test";
import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Detached } from "../chaos/detached.ts";
import { isAlive } from "../chaos/processes.ts";
import { until } from "../chaos/size.ts";

class Swept extends Detached {
  get #stamp(): string {
    return join(this.state, "swept");
  }

  lastAgo(seconds: number): number {
    const then = Math.floor(Date.now() / 1000) - seconds;
    writeFileSync(this.#stamp, "");
    utimesSync(this.#stamp, then, then);
    return this.last;
  }

  get last(): number {
    return statSync(this.#stamp).mtimeMs;
  }

  /** From its start until its holder is gone, which sweeps at the latest then. */
  async whole(): Promise<void> {
    const id = await this.start("exit 0", ["--no-pty"]);
    const holder = this.holder(id);
    await until("its holder is gone", () => !isAlive(holder));
  }
}

test("a session in the background looks at the others at most once a minute", async () => {
  using bench = new Swept();
  await bench.whole();
  const recent = bench.lastAgo(30);
  await bench.whole();
  expect(bench.last).toBe(recent);
  const old = bench.lastAgo(61);
  await bench.whole();
  expect(bench.last).toBeGreaterThan(old);
});

test("one in the foreground does so each time, but for many in a row", async () => {
  using bench = new Swept();
  await bench.run(["run", "--", "true"]);
  const recent = bench.lastAgo(30);
  await bench.run(["run", "--", "true"]);
  expect(bench.last).toBeGreaterThan(recent);
});
