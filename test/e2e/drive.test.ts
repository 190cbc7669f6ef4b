/** Acting on a session from outside: resizing, signals and names. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bench } from "../support/holt.ts";
import { ended, sees, start } from "./driven.ts";

describe("holt resize, signal and rename", () => {
  test("a new size reaches the command and the events", async () => {
    using bench = new Bench();
    await start(bench, `trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.02; done`);
    await sees(bench, "ready");
    expect(await bench.run(["resize", "x", "99x33"])).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.output("x").toString()).toBe("ready\r\n33 99\r\n");
    expect(bench.events("x")).toContainEqual(expect.objectContaining({ type: "resize", cols: 99, rows: 33 }));
  });

  /** Only the names of common signals were known: `holt signal x 34` was "unknown". */
  test.each(["34", "RTMIN", "SIGRTMIN+0", "rtmax-30"])("the real-time signal %s reaches it", async (name) => {
    using bench = new Bench();
    await start(bench, "trap 'echo caught; exit 5' RTMIN; echo ready; while :; do sleep 0.02; done");
    await sees(bench, "ready");
    expect(await bench.run(["signal", "x", name])).toMatchObject({ stderr: "", exitCode: 0 });
    await ended(bench);
    expect(bench.final("x").exit_code).toBe(5);
  });

  test.each(["0", "32", "65", "RTMIN+31", "RTMIN-1", "RTMAX+1"])("there is no signal %s", async (name) => {
    using bench = new Bench();
    expect(await bench.run(["signal", "x", name])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`unknown signal: "${name}"`),
    });
  });

  test.each(["INT", "SIGINT", "int", "2"])(
    "the signal %s reaches the command's group, and is recorded",
    async (name) => {
      using bench = new Bench();
      await start(bench, "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.02; done");
      await sees(bench, "ready");
      expect(await bench.run(["signal", "x", name])).toMatchObject({ stderr: "", exitCode: 0 });
      await ended(bench);
      expect(bench.final("x").exit_code).toBe(5);
      expect(bench.events("x")).toContainEqual(
        expect.objectContaining({ type: "signal", signal: "SIGINT", sender: "client" }),
      );
    },
  );

  test("a session is found by its new name, and by none when that is taken away", async () => {
    using bench = new Bench();
    await start(bench, "until [ -e go ]; do sleep 0.02; done", ["--name", "old"]);
    expect(await bench.run(["rename", "old", "new"])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.meta("x").name).toBe("new");
    expect(await bench.run(["rename", "new", ""])).toMatchObject({ stderr: "", exitCode: 0 });
    expect(bench.meta("x").name).toBeNull();
    writeFileSync(join(bench.root, "go"), "");
    await ended(bench);
    expect(bench.meta("x").name).toBeNull();
  });
});
