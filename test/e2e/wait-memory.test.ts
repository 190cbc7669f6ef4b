/**
 * A wait used to keep every byte that passed: each was raced against one promise that outlived them all. 200 MB of output were half a
 * gigabyte of memory.
 */
import { expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { privateMemory } from "../chaos/processes.ts";
import { size, until } from "../chaos/size.ts";
import { Bench, HOLT } from "../support/holt.ts";

/** Less than is kept of a session's output, or it would never all be there. */
const BYTES = size(150_000_000, 1_000_000_000);
const MOST_KB = 100 * 1024;

test.each(["exit", "match=never", "match=ne.*ver", "idle=100s"])(
  "a wait for %s stays small in a flood",
  async (condition) => {
    using bench = new Bench();
    const script = `until [ -e go ]; do sleep 0.02; done; yes 'some words of a line' | head -c ${BYTES}; until [ -e end ]; do sleep 0.02; done`;
    expect(await bench.run(["start", "--session-id", "x", "--no-pty", "--", "sh", "-c", script])).toMatchObject({
      exitCode: 0,
    });
    const wait = Bun.spawn([HOLT, "wait", "x", "--until", condition], {
      env: bench.env,
      stdout: "ignore",
      stderr: "inherit",
    });
    let most = 0;
    writeFileSync(join(bench.root, "go"), "");
    await until(
      "all is printed",
      () => {
        most = Math.max(most, privateMemory(wait.pid));
        return statSync(join(bench.state, "sessions", "x", "output.bin")).size === BYTES;
      },
      240_000,
    );
    writeFileSync(join(bench.root, "end"), "");
    await wait.exited;
    await until("it has ended", () => existsSync(join(bench.state, "sessions", "x", "final.json")));
    expect(most).toBeLessThan(MOST_KB);
  },
);
