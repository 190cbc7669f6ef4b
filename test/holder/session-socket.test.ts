/**
 * A session's socket has its name from the first moment, and somebody behind it when the loop first turns, or when somebody has asked by the end. Who connects in between waits; who has
 * connected to a command that is over by then is answered all the same.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

/** What came of it; see socketed.ts. */
async function done(bound: "none" | "bound" | "vanished" | "elsewhere", ...steps: string[]): Promise<unknown> {
  const argv = [process.execPath, join(import.meta.dir, "socketed.ts"), bound, ...steps];
  const proc = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const told: unknown = JSON.parse(await new Response(proc.stdout).text());
  expect(await proc.exited).toBe(0);
  return told;
}

const THERE_THEN_NOT = { isThere: [true, false] };

describe("a session's socket", () => {
  test("is gone with its name when a command was over before anybody asked, and nothing was made for them", async () => {
    expect(await done("none")).toEqual({ heard: [], opened: 0, rebound: [], isAtOnce: true, ...THERE_THEN_NOT });
  });

  test.each([
    ["before it was opened", ["turn"]],
    ["to a command that was over before it was opened", []],
  ])("answers who connected %s", async (_when, then) => {
    const heard = [["hello", "data", "end"]];
    const told = await done("none", "connect", "print", ...then);
    expect(told).toEqual({ heard, opened: 1, rebound: [], isAtOnce: true, ...THERE_THEN_NOT });
  });

  test("answers who says hello at the very end, and then what for", async () => {
    // What it is for comes in a write of its own: who had said hello alone was taken for somebody who wants nothing.
    expect(await done("none", "apart", "print")).toMatchObject({
      heard: [["hello", "data", "end"]],
      ...THERE_THEN_NOT,
    });
  });

  test("does not wait for who was there and said nothing", async () => {
    expect(await done("none", "silent", "turn")).toMatchObject({ isAtOnce: true, opened: 1, ...THERE_THEN_NOT });
  });

  test("that listened before there was a session is the session's", async () => {
    expect(await done("bound", "connect")).toMatchObject({ heard: [["hello", "end"]], ...THERE_THEN_NOT });
  });

  test("that listened before there was a session, and was removed meanwhile, is made anew", async () => {
    expect(await done("vanished", "connect")).toMatchObject({ heard: [["hello", "end"]], ...THERE_THEN_NOT });
  });

  /** Found by a review: a daemon of an earlier build under the same version names another one in the record, and the holder listened where nobody would look. */
  test("is where the record says, though its holder has listened elsewhere", async () => {
    expect(await done("elsewhere", "connect")).toMatchObject({ heard: [["hello", "end"]], ...THERE_THEN_NOT });
  });

  test("that vanished is bound again, opened or not, once for all who ask at once", async () => {
    const again = { rebound: [true, true], opened: 2, ...THERE_THEN_NOT };
    expect(await done("none", "unlink", "rebind", "rebind")).toMatchObject(again);
    expect(await done("none", "turn", "unlink", "rebind", "rebind")).toMatchObject(again);
  });

  test("that vanished and is bound again still answers who had found it", async () => {
    const told = await done("none", "connect", "unlink", "rebind");
    expect(told).toMatchObject({ heard: [["hello", "end"]], rebound: [true], ...THERE_THEN_NOT });
  });

  test("that is there is not bound again", async () => {
    expect(await done("none", "rebind")).toMatchObject({ rebound: [false], ...THERE_THEN_NOT });
  });
});
