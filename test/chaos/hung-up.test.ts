/**
 * A terminal window that is closed at any moment, of a start or of a flood: the run ends with it, recorded, and nothing stays behind.
 *
 * Found here: a flood that ignored the hang-up went on into the transcript for ever, where without holt its next write would have
 * failed; and a window closed in the middle of a start made a command that "cannot be executed", as its size was gone.
 */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { isAlive } from "./processes.ts";
import { inParallel, randomNumbers, size } from "./size.ts";
import { readStored } from "./transcript-check.ts";

const RUNS = size(20, 500);
const WINDOW_MS = 80;
const random = randomNumbers();

describe("a terminal closed at any moment", () => {
  test.each([
    ["of a quiet command", "exec sleep 10", /^signaled SIGHUP$/],
    // Whichever comes first, as without holt: the signal, or a write to a terminal that is gone.
    ["of a flood", "exec seq 1 1000000000", /^(signaled SIGHUP|exited 1)$/],
    // Its own end, at its next write; unless the hang-up came before the trap, or before holt knew that it has a terminal.
    [
      "of a flood that ignores the hang-up",
      "trap '' HUP; exec seq 1 1000000000",
      /^(exited 1|signaled SIGHUP|signaled SIGPIPE)$/,
    ],
  ])("%s ends the run", async (_, script, expected) => {
    await inParallel(RUNS, 2, async () => {
      using bench = new Bench();
      const delay = random() * WINDOW_MS;
      await using user = new TerminalUser([HOLT, "run", "--session-id", "x", "--", "sh", "-c", script], {
        env: bench.env,
        cwd: bench.root,
      });
      await Bun.sleep(delay);
      user.hangUp();
      const { signal } = await user.exit();
      if (!existsSync(join(bench.state, "sessions", "x", "final.json"))) {
        // It came before holt was ready for it: there was no command yet.
        expect({ delay, signal }).toEqual({ delay, signal: "SIGHUP" });
        return;
      }
      const { state, exit_code, signal: died } = bench.final("x");
      expect(`${state} ${died ?? exit_code}`).toMatch(expected);
      expect(isAlive(bench.meta("x").process?.pid ?? 0)).toBe(false);
      expect(readStored(bench, "x", 1024 * 1024)).toMatchObject({ end: bench.final("x").output_bytes, gaps: [] });
    });
  });
});
