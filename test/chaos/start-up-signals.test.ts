/**
 * A signal in the first milliseconds, at any moment of them: the command gets it and holt ends as the command did, or holt dies by it
 * before there is a command. Never a hang, a process left behind, or a terminal left raw.
 */
import { closeSync } from "node:fs";
import { describe, expect, test } from "bun:test";
import { getTermios, openPseudoTerminal } from "../../src/platform/tty/terminal-device.ts";
import type { Session } from "../../src/protocol/types/session.ts";
import { Bench, HOLT } from "../support/holt.ts";
import { TerminalUser } from "../support/terminal.ts";
import { isAlive } from "./processes.ts";
import { inParallel, randomNumbers, size } from "./size.ts";

const RUNS = size(40, 2000);
const BATCH = 40;
const AT_ONCE = 2;
const WINDOW_MS = 30;
/** A command that is not ended by the signal ends by itself after this, and is told from one that was. */
const COMMAND = ["sleep", "10"];
const random = randomNumbers();

async function batches(work: (bench: Bench) => Promise<void>): Promise<void> {
  for (let first = 0; first < RUNS; first += BATCH) {
    using bench = new Bench();
    await inParallel(Math.min(BATCH, RUNS - first), AT_ONCE, () => work(bench));
    await expectNothingLeft(bench);
  }
}

/** Each session is over, by the signal or with its holder, and so are its processes. */
async function expectNothingLeft(bench: Bench): Promise<void> {
  const listed = await bench.run(["ls", "--all", "--json"]);
  expect({ code: listed.exitCode, stderr: listed.stderr }).toEqual({ code: 0, stderr: "" });
  for (const { state, reason, process: command, holder } of (JSON.parse(listed.text) as { sessions: Session[] })
    .sessions) {
    expect(`${state} ${reason}`).toMatch(/^(signaled completed|failed holder_lost)$/);
    for (const pid of [holder.pid, command?.pid ?? 0]) expect(isAlive(pid)).toBe(false);
  }
}

describe("a signal in the first milliseconds of a run", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends it on pipes", (signal) =>
    batches(async (bench) => {
      const delay = random() * WINDOW_MS;
      const proc = Bun.spawn([HOLT, "run", "--", ...COMMAND], {
        env: bench.env,
        cwd: bench.root,
        stdio: ["ignore", "ignore", "pipe"],
      });
      await Bun.sleep(delay);
      proc.kill(signal);
      await proc.exited;
      const stderr = await new Response(proc.stderr).text();
      expect({ delay, signal: proc.signalCode, stderr }).toEqual({ delay, signal, stderr: "" });
    }),
  );

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends it on a terminal, which is left as it was", (signal) =>
    batches(async (bench) => {
      const delay = random() * WINDOW_MS;
      const { master, slave } = openPseudoTerminal();
      try {
        const before = getTermios(slave);
        const proc = Bun.spawn([HOLT, "run", "--", ...COMMAND], {
          env: bench.env,
          cwd: bench.root,
          stdio: [slave, slave, slave],
        });
        await Bun.sleep(delay);
        proc.kill(signal);
        await proc.exited;
        expect({ delay, signal: proc.signalCode }).toEqual({ delay, signal });
        expect(Buffer.compare(getTermios(slave), before)).toBe(0);
      } finally {
        closeSync(slave);
        closeSync(master);
      }
    }),
  );

  /**
   * Found here: a Ctrl-C goes to the terminal's whole foreground group, so on pipes it is not passed on: the command has it already. One
   * that came when holt was ready and the command was not yet made was passed on to nobody.
   */
  test.each([
    ["on pipes", `exec "$HOLT" run -- ${COMMAND.join(" ")} > out`],
    ["on a terminal", `exec "$HOLT" run -- ${COMMAND.join(" ")}`],
  ])("Ctrl-C typed at a terminal ends it %s", (_, line) =>
    batches(async (bench) => {
      const delay = random() * (WINDOW_MS + 10);
      await using user = new TerminalUser(["sh", "-c", line], { env: { ...bench.env, HOLT }, cwd: bench.root });
      await Bun.sleep(delay);
      user.type("\x03");
      expect({ delay, ...(await user.exit()) }).toEqual({ delay, exitCode: null, signal: "SIGINT" });
    }),
  );
});
