/** The wall clock jumps by ten days, ahead or back, while sessions run on their own: nothing that waits for a while notices. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOLT } from "../support/holt.ts";
import { ageMarks, readMarks } from "../support/marks.ts";
import { TerminalUser } from "../support/terminal.ts";
import { Detached, ECHO } from "./detached.ts";
import { isAlive } from "./processes.ts";
import { ShiftedClock } from "./shifted-clock.ts";
import { until } from "./size.ts";

const HOUR = 3600_000;
const DAY = 24 * HOUR;
const TEN_DAYS = 10 * DAY;

let clock: ShiftedClock;
beforeAll(() => {
  clock = new ShiftedClock();
});
afterAll(() => clock[Symbol.dispose]());

describe.each([
  ["ahead", TEN_DAYS],
  ["back", -TEN_DAYS],
])("ten days %s", (_, jump) => {
  function benchNow(): Detached {
    clock.set(0);
    return new Detached(clock.env);
  }

  test("a session with timeouts runs on, with those attached; a stop keeps to its grace", async () => {
    using bench = benchNow();
    const id = await bench.start(`trap '' TERM; ${ECHO}`, ["--timeout", "1h", "--idle-timeout", "30m"]);
    using watcher = await bench.watch(id);
    await watcher.sees("ready");
    await using user = new TerminalUser([HOLT, "attach", id], { env: bench.env, cwd: bench.root });
    await user.sees("ready");
    clock.set(jump);
    watcher.type("after the jump\n");
    await Promise.all([watcher.sees("got after the jump"), user.sees("got after the jump")]);
    clock.set(0);
    watcher.type("and back\n");
    await user.sees("got and back");
    expect(watcher.last).toBeNull();
    expect(bench.events(id).some(({ type }) => type === "detach" || type === "stop")).toBe(false);
    const stopping = bench.run(["stop", "--grace", "1s", id]);
    await until("it is asked to end", () => bench.events(id).some(({ type }) => type === "stop"));
    clock.set(jump);
    expect(await stopping).toMatchObject({ exitCode: 0, stderr: "" });
    expect(bench.final(id).reason).toBe("stop_requested");
    expect(await watcher.over()).toMatchObject({ type: "end" });
    expect(bench.final(id).duration_ms).toBeLessThan(60_000);
  });

  // A recording stood still for ten days where the clock had been set, or ended before it began.
  test("a recording goes on at the pace at which it was made, to its end", async () => {
    using bench = benchNow();
    const id = await bench.start(ECHO);
    using watcher = await bench.watch(id);
    await watcher.sees("ready");
    clock.set(jump);
    watcher.type("after the jump\n");
    await watcher.sees("got after the jump");
    await bench.run(["resize", id, "90x30"]);
    clock.set(2 * jump);
    watcher.type("after another\n");
    await watcher.sees("got after another");
    clock.set(3 * jump);
    const { text: shown } = await bench.run(["show", id]);
    expect(Number(/^duration\t(\d+) ms$/m.exec(shown)?.[1])).toBeLessThan(60_000);
    await bench.end(id);
    for (const format of ["asciicast", "asciicast-v2"]) {
      const { text } = await bench.run(["export", id, "--format", format]);
      const [, ...lines] = text.trimEnd().split("\n");
      const events = lines.map((line) => JSON.parse(line) as [at: number, code: string, data: string]);
      expect(events.map(([, code]) => code)).toContain("r");
      const times = events.map(([at]) => at);
      expect(times.reduce((sum, at) => (format === "asciicast" ? sum + at : Math.max(sum, at)), 0)).toBeLessThan(60);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
      if (format === "asciicast-v2") expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
    expect(bench.final(id).duration_ms).toBeLessThan(60_000);
  });

  test("a wait for quiet ends with the quiet", async () => {
    using bench = benchNow();
    const script = "until [ -e quiet ]; do echo x; sleep 0.05; done; touch silent; sleep 600";
    const id = await bench.start(script, ["--cwd", bench.root]);
    const descriptors = (): number => readdirSync(`/proc/${bench.holder(id)}/fd`).length;
    const before = descriptors();
    let isOver = false;
    const waiting = bench.run(["wait", id, "--until", "idle=2s", "--timeout", "60s"]).finally(() => {
      isOver = true;
    });
    await until("the wait is under way", () => descriptors() > before);
    clock.set(jump);
    const printed = (): number => bench.output(id).length;
    const atJump = printed();
    await until("it has printed for half a second", () => printed() > atJump + 10 * "x\r\n".length);
    expect(isOver).toBe(false);
    writeFileSync(join(bench.root, "quiet"), "");
    expect(await waiting).toMatchObject({ exitCode: 0, stderr: "" });
    expect(existsSync(join(bench.root, "silent"))).toBe(true);
    await bench.end(id);
  });

  test("a restart that is due comes when it is due", async () => {
    using bench = benchNow();
    const script = "echo x >> runs; [ $(wc -l < runs) -ge 3 ] && sleep 600; exit 1";
    const first = await bench.start(script, [
      "--cwd",
      bench.root,
      "--restart",
      "always",
      "--restart-delay",
      "300ms",
      "--name",
      "job",
    ]);
    const holder = bench.holder(first);
    const waits = (): number => bench.started().filter((id) => bench.meta(id).process === null).length;
    await until("it waits to be started again", () => waits() > 0);
    clock.set(jump);
    const ran = async (): Promise<number> => (await Bun.file(join(bench.root, "runs")).text()).length / 2;
    await until("it ran three times", async () => (await ran()) >= 3);
    expect(await bench.run(["stop", "job"])).toMatchObject({ exitCode: 0, stderr: "" });
    await until("the holder is gone", () => !isAlive(holder));
  });

  test("retention goes by the clock, and never takes what runs", async () => {
    using bench = benchNow();
    const alive = await bench.start("sleep 600");
    const ended = await bench.start("true");
    await bench.run(["wait", ended]);
    await until("its holder is gone", () => bench.holders().length === 1);
    clock.set(jump);
    expect((await bench.run(["gc"])).exitCode).toBe(0);
    expect(bench.ids.includes(ended)).toBe(jump < 0);
    const later = await bench.start("true", ["--retention", "1h"]);
    await bench.run(["wait", later]);
    await until("its holder is gone", () => bench.holders().length === 1);
    // What ended in the future is not older than what ended now.
    clock.set(0);
    expect((await bench.run(["gc"])).exitCode).toBe(0);
    expect(bench.ids.includes(later)).toBe(jump > 0);
    expect(bench.ids).toContain(alive);
    const listed = await bench.run(["ls", "--all"]);
    expect(listed.exitCode).toBe(0);
    expect(listed.text).not.toMatch(/\s-\d|NaN|Invalid/);
    await bench.end(alive);
  });
});

/**
 * A laptop slept for an hour. The holder counted by the monotonic clock, which stands still then: it took the hour for a clock that had been set, and final.json
 * said that the command had run for some seconds, where `holt show` had said an hour before.
 */
test("the machine sleeps for an hour: durations and recordings have it, and no clock was set", async () => {
  clock.set(0);
  using bench = new Detached(clock.env);
  const id = await bench.start(ECHO);
  using watcher = await bench.watch(id);
  await watcher.sees("ready");
  clock.suspended(HOUR);
  watcher.type("after the sleep\n");
  await watcher.sees("got after the sleep");
  const { text: shown } = await bench.run(["show", id]);
  const recorded = async (): Promise<number> => {
    const { text } = await bench.run(["export", id, "--format", "asciicast"]);
    const [, ...lines] = text.trimEnd().split("\n");
    return lines.reduce((sum, line) => sum + (JSON.parse(line) as [number])[0], 0) * 1000;
  };
  await bench.end(id);
  const durations = {
    shown: Number(/^duration\t(\d+) ms$/m.exec(shown)?.[1]),
    final: bench.final(id).duration_ms,
    recorded: await recorded(),
  };
  clock.set(0);
  const anHour = Object.entries(durations).map(([by, ms]) => ({ by, hours: Math.floor(ms / HOUR) }));
  expect(anHour).toEqual(Object.keys(durations).map((by) => ({ by, hours: 1 })));
  expect(bench.events(id).filter(({ type }) => type === "clock_set")).toEqual([]);
});

/**
 * One `holt run` with the clock two days ahead removed 584 ended sessions. And what had ended while the clock was behind was removed by the first sweep after the clock
 * was right.
 */
describe("a sweep that nobody asked for", () => {
  class Swept extends Detached {
    /** With the clock so far off, by a `holt run` that begins one at its end. */
    async sweep(offMs: number): Promise<void> {
      clock.set(offMs);
      rmSync(join(this.state, "swept"), { force: true });
      const run = `run-${crypto.randomUUID().slice(0, 8)}`;
      expect((await this.run(["run", "--session-id", run, "--", "true"])).exitCode).toBe(0);
      const log = (): string => readFileSync(join(this.state, "log", "holt.jsonl"), "utf8");
      const isTold = (line: string): boolean => line.includes(run) && line.includes("cleanup_reason");
      await until("the sweep has looked", () => log().split("\n").some(isTold));
      await until("the sweep is over", () => this.processes("__sweep").length === 0);
      clock.set(0);
    }

    async ended(count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, i) => `ended-${i}`);
      for (const id of ids) await this.run(["run", "--session-id", id, "--", "true"]);
      return ids;
    }

    kept(ids: string[]): string[] {
      return ids.filter((id) => this.ids.includes(id));
    }

    get marked(): string[] {
      const marks = readMarks({ root: this.state }).filter(({ expired }) => expired !== null);
      return marks.map(({ session_id }) => session_id).toSorted();
    }
  }

  test("removes nothing for a clock that is two days ahead for a moment", async () => {
    using bench = new Swept(clock.env);
    const ids = await bench.ended(3);
    await bench.sweep(2 * DAY);
    expect(bench.kept(ids)).toEqual(ids);
  });

  test("removes nothing of an earlier boot either, before ten minutes are over and while the clock is right", async () => {
    using bench = new Swept(clock.env);
    const ids = await bench.ended(2);
    for (const id of ids) {
      const final = { ...bench.final(id), ended_uptime: { boot_id: "earlier", uptime_ms: 1 } };
      writeFileSync(join(bench.state, "sessions", id, "final.json"), JSON.stringify(final));
    }
    await bench.sweep(2 * DAY);
    expect({ kept: bench.kept(ids), marked: bench.marked }).toEqual({ kept: ids, marked: ids });
    await bench.sweep(0);
    expect({ kept: bench.kept(ids), marked: bench.marked }).toEqual({ kept: ids, marked: [] });
    await bench.sweep(2 * DAY);
    ageMarks({ root: bench.state });
    await bench.sweep(2 * DAY);
    expect(bench.kept(ids)).toEqual([]);
  });

  test("keeps what ended under a clock that was back", async () => {
    using bench = new Swept(clock.env);
    clock.set(-TEN_DAYS);
    const ids = await bench.ended(2);
    await bench.sweep(0);
    expect(bench.kept(ids)).toEqual(ids);
    expect(bench.marked).toEqual([]);
  });
});
