/** Size votes and the keyboard lease of clients that share a session. */
import { describe, expect, test } from "bun:test";
import { Lease } from "../../src/holder/attach/lease.ts";
import { chosenSize, SizeVotes } from "../../src/holder/attach/size-votes.ts";

const size = (cols: number, rows: number) => ({ cols, rows, width: 0, height: 0 });

describe("The size of a shared session", () => {
  test.each([
    ["smallest", [90, 10], [70, 30], [70, 10]],
    ["largest", [90, 10], [70, 30], [90, 30]],
    ["latest", [90, 10], [70, 30], [70, 30]],
  ] as const)("follows the rule %s", (rule, one, two, expected) => {
    expect(chosenSize(rule, [size(...one), size(...two)])).toMatchObject({ cols: expected[0], rows: expected[1] });
  });

  test("stays under the rule fixed, or without votes", () => {
    expect(chosenSize("fixed", [size(80, 24)])).toBeNull();
    expect(chosenSize("smallest", [])).toBeNull();
  });

  test("changes at most sixty times a second, and the last vote of a burst counts", async () => {
    const decided: number[] = [];
    const votes = new SizeVotes("latest", ({ cols }) => void decided.push(cols));
    const begun = performance.now();
    for (let cols = 1; cols <= 5000; cols++) {
      votes.vote("c1", size(cols, 24));
      if (cols % 50 === 0) await Bun.sleep(0);
    }
    const storm = performance.now() - begun;
    while (decided.at(-1) !== 5000) await Bun.sleep(1);
    expect(decided.length).toBeLessThanOrEqual(Math.ceil((performance.now() - begun + storm) / (1000 / 60)) + 1);
  });
});

describe("The keyboard", () => {
  test("is every client's if input is shared", () => {
    const lease = new Lease("shared", () => {});
    expect([lease.allows("c1"), lease.allows("c2")]).toEqual([true, true]);
  });

  test("is leased to the first client that types, until it leaves or another takes it over", () => {
    const owners: (string | null)[] = [];
    const lease = new Lease("lease", (owner) => owners.push(owner));
    expect([lease.allows("c1"), lease.allows("c2")]).toEqual([true, false]);
    lease.take("c2");
    expect([lease.allows("c1"), lease.allows("c2")]).toEqual([false, true]);
    lease.free("c1");
    expect(lease.allows("c1")).toBe(false);
    lease.free("c2");
    expect(lease.allows("c1")).toBe(true);
    expect(owners).toEqual(["c1", "c2", null, "c1"]);
  });
});
