/** Thousands of past sessions: what a list costs depends on what it answers with, not on how many there are. */
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { LocalSessions } from "../../src/client/local-sessions.ts";
import { finalOf, Scratch } from "../transcript/scratch.ts";

const THOUSANDS = 5000;

/** Of each only its last word, which is all that a list needs of it. */
function thousands(scratch: Scratch): void {
  for (let i = 0; i < THOUSANDS; i++) {
    const ended_at = new Date(1_700_000_000_000 + i * 1000).toISOString();
    mkdirSync(scratch.path(`s${i}`), { mode: 0o700 });
    const state = i % 100 === 0 ? "signaled" : "exited";
    const final = finalOf(`s${i}`, { ended_at, started_at: ended_at, state });
    writeFileSync(scratch.path(`s${i}`, "final.json"), JSON.stringify(final), { mode: 0o600 });
  }
}

function quickest(times: number, work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: times }, () => {
      const began = performance.now();
      work();
      return performance.now() - began;
    }),
  );
}

/**
 * Found by a reviewer: `session.list {limit: 1}` and `health.info` read and parsed every session that was ever kept, so that 64 of them, where 3,200 had ended,
 * kept everybody else's calls waiting for 20 seconds.
 */
test("of 5,000 past sessions, one costs less than a thousand, and so does counting them", async () => {
  using scratch = new Scratch();
  thousands(scratch);
  const sessions = new LocalSessions(scratch.layout);
  let turns = 0;
  const turning = setInterval(() => turns++, 0);
  await sessions.catchUp();
  clearInterval(turning);
  expect(turns).toBeGreaterThan(10); // others had their turns
  const page = (offset: number, limit: number) => sessions.briefly({ page: { offset, limit } });
  const [first, last] = [page(0, 1), page(THOUSANDS - 1, 10)];
  expect(first).toMatchObject({ sessions: [{ session_id: "s4999" }], wanted: THOUSANDS, total: THOUSANDS });
  expect(last.sessions.map(({ session_id }) => session_id)).toEqual(["s0"]);
  expect(sessions.briefly({ states: ["signaled"], page: { offset: 1, limit: 2 } })).toMatchObject({
    sessions: [{ session_id: "s4800" }, { session_id: "s4700" }],
    wanted: THOUSANDS / 100,
  });
  expect(sessions.counted()).toEqual({ open: [], ended: THOUSANDS });
  const ofMany = quickest(5, () => page(0, 1000));
  expect(quickest(20, () => page(0, 1))).toBeLessThan(ofMany);
  expect(quickest(20, () => sessions.counted())).toBeLessThan(ofMany);
}, 120_000);

test("a page is the same part of the list, wherever those that live stand in it", () => {
  using scratch = new Scratch();
  for (let i = 0; i < 210; i++)
    scratch.end(`s${i}`, { meta: { created_at: new Date(1_700_000_000_000 + i * 60_000).toISOString() } });
  // Lost ones are open as living ones are: never in the cache.
  for (const i of [0, 7, 8, 50, 209])
    scratch.lose(`lost${i}`, { meta: { created_at: new Date(1_700_000_000_500 + i * 60_000).toISOString() } });
  const sessions = new LocalSessions(scratch.layout);
  const all = sessions.list().map(({ session_id }) => session_id);
  expect(all).toHaveLength(215);
  for (const limit of [1, 3, 100])
    for (let offset = 0; offset < 220; offset += 1) {
      const listed = sessions.listing({ page: { offset, limit } }).sessions.map(({ session_id }) => session_id);
      expect(listed).toEqual(all.slice(offset, offset + limit));
    }
});

test("a command as long as the kernel allows is cut in a list, which says so, and whole elsewhere", () => {
  using scratch = new Scratch();
  const argv = ["sh", "-c", "x".repeat(900_000), "last"];
  scratch.end("long", { meta: { argv } });
  for (const before of ["few", "many"]) {
    if (before === "many") for (let i = 0; i < 210; i++) scratch.end(`s${i}`);
    const sessions = new LocalSessions(scratch.layout);
    for (const _ of ["read", "cached"]) {
      const listed = sessions.briefly({}).sessions;
      const long = listed.find(({ session_id }) => session_id === "long");
      expect(long).toMatchObject({ session_id: "long", abridged: true });
      expect(JSON.stringify(long).length).toBeLessThan(16_384);
      expect(long?.argv.slice(0, 2)).toEqual(["sh", "-c"]);
      expect(long?.argv[2]).toMatch(/^x{4000,}…$/);
      expect(listed.filter(({ abridged }) => abridged)).toHaveLength(1);
      expect(sessions.list().find(({ session_id }) => session_id === "long")?.argv).toEqual(argv);
    }
    expect(sessions.get("long").argv).toEqual(argv);
  }
});
