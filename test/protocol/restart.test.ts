import { describe, expect, test } from "bun:test";
import {
  STABLE_RUN_MS,
  latestAttempts,
  MAX_DELAY_MS,
  nextAttempt,
  type Restart,
} from "../../src/protocol/types/restart.ts";

const FIRST: Restart = { when: "always", max_restarts: null, delay_ms: 1000, count: 0, in_a_row: 0, starts_at: null };
const NOW = Date.parse("2026-01-02T03:04:05.000Z");
const QUICK = { failed: true, ranMs: 5 };

/** The delays of a series of attempts that end like this. */
function delays(first: Restart, ends: readonly { failed: boolean; ranMs: number }[]): (number | string)[] {
  let restart = first;
  return ends.map((end) => {
    const next = nextAttempt(restart, end, NOW);
    if (typeof next === "string") return next;
    restart = next.restart;
    return next.delayMs;
  });
}

describe("The next attempt", () => {
  test("doubles the delay, up to a minute.", () => {
    const seconds = delays(
      FIRST,
      Array.from({ length: 9 }, () => QUICK),
    ).map((ms) => Number(ms) / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(delays({ ...FIRST, delay_ms: 0 }, [QUICK, QUICK, QUICK])).toEqual([0, 0, 0]);
    expect(delays({ ...FIRST, delay_ms: 2 * MAX_DELAY_MS }, [QUICK, QUICK])).toEqual([120_000, 120_000]);
    expect(delays({ ...FIRST, in_a_row: 5000 }, [QUICK])).toEqual([MAX_DELAY_MS]);
    expect(delays({ ...FIRST, delay_ms: 1, in_a_row: 5000 }, [QUICK])).toEqual([MAX_DELAY_MS]);
    expect(delays({ ...FIRST, delay_ms: 0, in_a_row: 5000 }, [QUICK])).toEqual([0]);
  });

  test("resets the delay and the limit after a stable run.", () => {
    const lasting = { failed: true, ranMs: STABLE_RUN_MS };
    expect(delays(FIRST, [QUICK, QUICK, lasting, QUICK])).toEqual([1000, 2000, 1000, 2000]);
    const limited = { ...FIRST, max_restarts: 2 };
    expect(delays(limited, [QUICK, QUICK, QUICK])).toEqual([1000, 2000, "limit"]);
    expect(delays(limited, [QUICK, QUICK, lasting, QUICK, QUICK])).toEqual([1000, 2000, 1000, 2000, "limit"]);
    expect(delays({ ...FIRST, max_restarts: 0 }, [QUICK])).toEqual(["limit"]);
  });

  test("starts after failures only (on_failure), or after any end (always).", () => {
    const success = { failed: false, ranMs: 5 };
    expect(delays({ ...FIRST, when: "on_failure" }, [QUICK, success])).toEqual([1000, "done"]);
    expect(delays(FIRST, [success])).toEqual([1000]);
  });

  test("records its number and its start time.", () => {
    expect(nextAttempt({ ...FIRST, count: 7, in_a_row: 1 }, QUICK, NOW)).toEqual({
      restart: { ...FIRST, count: 8, in_a_row: 2, starts_at: "2026-01-02T03:04:07.000Z" },
      delayMs: 2000,
    });
  });
});

test("Keeps the last attempt of each command, and all other sessions.", () => {
  const session = (session_id: string, previous_session_id: string | null) => ({ session_id, previous_session_id });
  const all = [session("c", "b"), session("x", null), session("b", "a"), session("a", null), session("y", "gone")];
  expect(latestAttempts(all).map(({ session_id }) => session_id)).toEqual(["c", "x", "y"]);
});
