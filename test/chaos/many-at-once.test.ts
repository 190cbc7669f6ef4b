import { describe, expect, test } from "bun:test";
import type { Session } from "../../src/protocol/types/session.ts";
import { Bench } from "../support/holt.ts";
import { inParallel, size } from "./size.ts";
import { expectCovers } from "./transcript-check.ts";

const TOGETHER = 20;

describe(`${TOGETHER} at the same moment`, () => {
  test("sessions keep their own records, bytes and cursors", async () => {
    for (let round = 0; round < size(1, 50); round++) {
      using bench = new Bench();
      const lines = (number: number): string =>
        Array.from({ length: 200 }, (_, i) => `session ${number} line ${i}\n`).join("");
      await inParallel(TOGETHER, TOGETHER, async (number) => {
        const script = `i=0; while [ $i -lt 200 ]; do echo "session ${number} line $i"; i=$((i+1)); done; exit ${number}`;
        const result = await bench.run([
          "run",
          "--session-id",
          `s${number}`,
          "--name",
          `n${number}`,
          "--",
          "sh",
          "-c",
          script,
        ]);
        expect(result).toMatchObject({ exitCode: number, text: lines(number), stderr: "" });
      });
      const identities = new Set<string>();
      for (let number = 0; number < TOGETHER; number++) {
        const { pieces } = expectCovers(bench, `s${number}`, Buffer.from(lines(number)));
        expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe(lines(number));
        const { session_id, name, process: command, holder, socket } = bench.meta(`s${number}`);
        expect({ session_id, name }).toEqual({ session_id: `s${number}`, name: `n${number}` });
        for (const identity of [`pid ${command?.pid}`, `pid ${holder.pid}`, `socket ${socket}`])
          identities.add(identity);
        expect(bench.final(`s${number}`).exit_code).toBe(number);
      }
      expect(identities.size).toBe(3 * TOGETHER);
    }
  });

  test.each([
    ["that lasts", "sleep 1.5; echo won"],
    ["that ends at once, while the others still wait for its lock", "echo won"],
  ])("starts with one id: one wins, with a command %s, and the others exit 2", async (_, script) => {
    for (let round = 0; round < size(2, 100); round++) {
      using bench = new Bench();
      const results = await Promise.all(
        Array.from({ length: TOGETHER }, (_unused, number) =>
          bench.run(["run", "--session-id", "mine", "--", "sh", "-c", `echo ${number}; ${script}`]),
        ),
      );
      const won = results.filter(({ exitCode }) => exitCode === 0);
      expect(won.length).toBe(1);
      for (const { exitCode, text, stderr } of results) {
        if (exitCode === 0) continue;
        expect({ exitCode, text }).toEqual({ exitCode: 2, text: "" });
        expect(stderr).toContain('session id "mine" is taken');
      }
      expect(bench.ids).toEqual(["mine"]);
      expectCovers(bench, "mine", Buffer.from(won[0]?.text ?? ""));
      expect(bench.final("mine")).toMatchObject({ state: "exited", exit_code: 0 });
    }
  });

  /** Found here: a start that lost the race against a removal said "session not found", of a session that it was to make. */
  test("starts, removals, listings and sweeps of one id meet, and none fails with anything unforeseen", async () => {
    using bench = new Bench();
    const START = { args: ["run", "--session-id", "z", "--", "true"], mayBeTold: /^$|session id "z" is taken/ };
    const REMOVE = { args: ["rm", "z"], mayBeTold: /^$|session not found: z|is still/ };
    const LIST = { args: ["ls", "--all"], mayBeTold: /^$/ };
    const SWEEP = { args: ["gc"], mayBeTold: /^$/ };
    const workers = [START, START, REMOVE, REMOVE, LIST, SWEEP];
    await inParallel(workers.length, workers.length, async (number) => {
      const { args, mayBeTold } = workers[number] ?? LIST;
      for (let round = 0; round < size(25, 1000); round++) {
        const { exitCode, stderr } = await bench.run(args);
        expect(stderr).toMatch(mayBeTold);
        expect({ exitCode, toldNothing: stderr === "" }).toEqual({ exitCode, toldNothing: exitCode === 0 });
      }
    });
    const listed = await bench.run(["ls", "--all", "--json"]);
    for (const { state } of (JSON.parse(listed.text) as { sessions: Session[] }).sessions) expect(state).toBe("exited");
    expect(bench.ids.filter((id) => id !== "z")).toEqual([]);
  });
});
