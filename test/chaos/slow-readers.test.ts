/** A person who reads slowly, not at all, or goes away in the middle. The command may have to wait; it must not lose anything. */
import { describe, expect, test } from "bun:test";
import { closeSync, constants, existsSync, openSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStatus } from "../../src/platform/process/processes.ts";
import { FRAME } from "../../src/protocol/wire/frames.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { followFrom, HELLO, RawClient } from "./raw-client.ts";
import { inParallel, size, until } from "./size.ts";
import { UnreadTerminal } from "./unread-terminal.ts";

function hasMeta(bench: Bench): boolean {
  return existsSync(join(bench.state, "sessions", bench.id, "meta.json"));
}

/**
 * Found here: holt holds 256 KiB for a terminal that is not read, then the kernel's buffers fill. A command that ended at that point
 * left its last bytes in them, and holt waited 100 ms for the person, as it does for something left behind, before it
 * let them go: up to a kilobyte was neither shown nor stored, and `output_complete` said false.
 */
describe("a terminal that nobody reads for a while", () => {
  test("gets every byte of a command that has long ended", async () => {
    // Around the sizes at which the command can just end before anything is read.
    const sizes = Array.from({ length: size(24, 400) }, (_, i) => 282_000 + i * size(300, 20));
    await inParallel(sizes.length, 8, async (number) => {
      const bytes = sizes[number] ?? 0;
      using bench = new Bench();
      using terminal = new UnreadTerminal();
      writeFileSync(join(bench.root, "data"), Buffer.alloc(bytes, "0123456789abcdefg"));
      const proc = Bun.spawn([HOLT, "run", "--", "sh", "-c", "cat data; touch printed; exit 7"], {
        env: bench.env,
        cwd: bench.root,
        stdio: [terminal.slave, terminal.slave, terminal.slave],
      });
      const deadline = performance.now() + 700;
      while (!existsSync(join(bench.root, "printed")) && performance.now() < deadline) await Bun.sleep(10);
      await Bun.sleep(250); // well over the 100 ms
      const shown: Buffer[] = [];
      await until("holt ends", () => {
        shown.push(terminal.read());
        return proc.exitCode !== null;
      });
      shown.push(terminal.read());
      expect(proc.exitCode).toBe(7);
      expect({ bytes, shown: Buffer.concat(shown).length, stored: bench.output().length }).toEqual({
        bytes,
        shown: bytes,
        stored: bytes,
      });
      expect(bench.final()).toMatchObject({ exit_code: 7, output_bytes: bytes, output_complete: true });
    });
  });
});

describe("a pipe that nobody reads", () => {
  /** Found here: a pager left open over lunch made a one-second command last an hour. */
  test("does not make the command last longer than it did", async () => {
    using bench = new Bench();
    const proc = Bun.spawn([HOLT, "run", "--", "sh", "-c", "head -c 200000 /dev/zero; exit 7"], {
      env: bench.env,
      cwd: bench.root,
      stdout: "pipe",
    });
    const command = (): number => bench.meta().process?.pid ?? 0;
    await until(
      "the session is there",
      () => existsSync(join(bench.state, "sessions")) && bench.ids.length > 0 && hasMeta(bench),
    );
    // Reaped, and so seen to have ended.
    await until("the holder knows that it has ended", () => command() > 0 && !existsSync(`/proc/${command()}`));
    const before = Date.now();
    expect((await proc.stdout.bytes()).length).toBe(200_000);
    expect(await proc.exited).toBe(7);
    const { ended_at, duration_ms, started_at } = bench.final();
    expect(Date.parse(ended_at)).toBeLessThanOrEqual(before);
    expect(duration_ms).toBeLessThanOrEqual(Date.parse(ended_at) - Date.parse(started_at ?? "") + 1);
  });

  test("for a while gets every byte, and the output counts as complete", async () => {
    using bench = new Bench();
    const result = await bench.shell(
      `"$HOLT" run -- sh -c 'head -c 400000 /dev/zero; exit 7' | (sleep 0.5; wc -c); echo "\${PIPESTATUS[0]}"`,
    );
    expect(result.text).toBe("400000\n7\n");
    expect(bench.final()).toMatchObject({ output_bytes: 400_000, output_complete: true });
  });

  /**
   * Found here: the command had ended and holt waited for a pager to take the rest. Every signal was passed on to a pid that was gone,
   * so that nothing but SIGKILL could end holt.
   */
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "is given up when %s comes after the command's end",
    async (signal) => {
      using bench = new Bench();
      Bun.spawnSync(["mkfifo", "unread"], { cwd: bench.root });
      const unread = openSync(join(bench.root, "unread"), constants.O_RDWR);
      try {
        const proc = Bun.spawn(
          [HOLT, "run", "--session-id", "x", "--", "sh", "-c", "head -c 300000 /dev/zero; touch printed"],
          {
            env: bench.env,
            cwd: bench.root,
            stdio: ["ignore", unread, "inherit"],
          },
        );
        await until("the command has printed all", () => existsSync(join(bench.root, "printed")));
        const command = bench.meta("x").process?.pid ?? 0;
        await until("holt knows of the command's end", () => processStatus(command) === null);
        proc.kill(signal);
        await proc.exited;
        expect(proc.signalCode).toBe(signal);
        // The command is not blamed for it, and its transcript is whole.
        expect(bench.final("x")).toMatchObject({ state: "exited", exit_code: 0, output_bytes: 300_000 });
      } finally {
        closeSync(unread);
      }
    },
  );

  /**
   * Found here: a stdout that is not read pauses the command's stderr too. When its reader went away, nobody let
   * stderr go on, and a command that had more to say on it hung for ever.
   */
  test("and then goes away does not hold up the other one", async () => {
    using bench = new Bench();
    const script = `trap "" PIPE; head -c 1000000 /dev/zero 2>/dev/null; head -c 400000 /dev/zero >&2; exit 7`;
    const result = await bench.shell(
      `"$HOLT" run -- sh -c '${script}' 2> err | sleep 0.3; echo "\${PIPESTATUS[0]}"; wc -c < err`,
    );
    expect(result.text).toBe("7\n400000\n");
  });
});

/**
 * Found here: a descriptor was closed twice, and by the second time its number was the transcript's, opened for a follower: the end of the
 * session then failed with EBADF, and holt exited 125. This wants a channel that is closed early and a follower that comes after it.
 */
describe("a stderr that is closed early", () => {
  test("does not take a follower's file with it, however many followers there are", async () => {
    // Each follower takes a descriptor before the transcript is opened: with one of these counts it gets the number in question.
    await inParallel(8, 4, async (count) => {
      using bench = new Bench();
      const script = `trap "" PIPE; echo gone >&2; while [ ! -e go ]; do echo more >&2 || touch refused; sleep 0.02; done; echo hi; exit 7`;
      const line = `exec "$HOLT" run --session-id x -- sh -c '${script}' 2> >(head -c 1 > first)`;
      const proc = Bun.spawn(["bash", "-c", line], {
        env: { ...bench.env, HOLT },
        cwd: bench.root,
        stdio: ["ignore", "ignore", "ignore"],
      });
      const lengthOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);
      await until("the reader of stderr is gone", () => lengthOf(join(bench.root, "first")) === 1);
      const output = join(bench.state, "sessions", "x", "output.bin");
      await until("the command's pid is known", () => lengthOf(output) > 0 && bench.meta("x").process !== null);
      await until("the command's stderr is closed", () => existsSync(join(bench.root, "refused")));
      const path = bench.meta("x").socket ?? "";
      const followers = await Promise.all(Array.from({ length: count }, () => RawClient.dial(path)));
      await Promise.all(followers.map((follower) => follower.say(HELLO, followFrom("0"))));
      await Promise.all(followers.map((follower) => follower.hears(FRAME.data)));
      writeFileSync(join(bench.root, "go"), "");
      expect(await proc.exited).toBe(7);
      for (const follower of followers) {
        await follower.hears(FRAME.end);
        follower[Symbol.dispose]();
      }
      expect(bench.final("x").exit_code).toBe(7);
    });
  });
});
