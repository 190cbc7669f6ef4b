/**
 * A session's socket: the path exists from the first moment, and connections are accepted from the
 * loop's first turn on, or at the end of the session. A client that connects in between waits; one
 * that connected to a command that has ended is answered all the same.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

/** The result of the steps; see socketed.ts. */
async function done(bound: "none" | "bound" | "vanished" | "elsewhere", ...steps: string[]): Promise<unknown> {
  const argv = [process.execPath, join(import.meta.dir, "socketed.ts"), bound, ...steps];
  const proc = Bun.spawn(argv, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const result: unknown = JSON.parse(await new Response(proc.stdout).text());
  expect(await proc.exited).toBe(0);
  return result;
}

const THERE_THEN_NOT = { isThere: [true, false] };

describe("a session's socket", () => {
  test("is removed, without a listener, when a command ends before any connection", async () => {
    expect(await done("none")).toEqual({ received: [], opened: 0, rebound: [], isAtOnce: true, ...THERE_THEN_NOT });
  });

  test.each([
    ["before it was opened", ["turn"]],
    ["to a command that ended before it was opened", []],
  ])("answers a client that connected %s", async (_when, then) => {
    const received = [["hello", "data", "end"]];
    const result = await done("none", "connect", "print", ...then);
    expect(result).toEqual({ received, opened: 1, rebound: [], isAtOnce: true, ...THERE_THEN_NOT });
  });

  test("answers a client that sends HELLO at the very end, and FOLLOW after it", async () => {
    // FOLLOW comes in a second write: a client that had sent only HELLO was not waited for.
    expect(await done("none", "apart", "print")).toMatchObject({
      received: [["hello", "data", "end"]],
      ...THERE_THEN_NOT,
    });
  });

  test("does not wait for a client that was connected and sent nothing", async () => {
    expect(await done("none", "silent", "turn")).toMatchObject({ isAtOnce: true, opened: 1, ...THERE_THEN_NOT });
  });

  test("that listened before the session was started is used by it", async () => {
    expect(await done("bound", "connect")).toMatchObject({ received: [["hello", "end"]], ...THERE_THEN_NOT });
  });

  test("that listened before the session was started, and was removed meanwhile, is bound again", async () => {
    expect(await done("vanished", "connect")).toMatchObject({ received: [["hello", "end"]], ...THERE_THEN_NOT });
  });

  /**
   * Regression: a daemon of an earlier build with the same version records another path, and the
   * holder listened where no client would connect.
   */
  test("listens on the recorded path, although its holder listened on another one before", async () => {
    expect(await done("elsewhere", "connect")).toMatchObject({ received: [["hello", "end"]], ...THERE_THEN_NOT });
  });

  test("that vanished is bound again, opened or not, once for all simultaneous requests", async () => {
    const again = { rebound: [true, true], opened: 2, ...THERE_THEN_NOT };
    expect(await done("none", "unlink", "rebind", "rebind")).toMatchObject(again);
    expect(await done("none", "turn", "unlink", "rebind", "rebind")).toMatchObject(again);
  });

  test("that vanished and is bound again still answers who had found it", async () => {
    const result = await done("none", "connect", "unlink", "rebind");
    expect(result).toMatchObject({ received: [["hello", "end"]], rebound: [true], ...THERE_THEN_NOT });
  });

  test("that is there is not bound again", async () => {
    expect(await done("none", "rebind")).toMatchObject({ rebound: [false], ...THERE_THEN_NOT });
  });
});
