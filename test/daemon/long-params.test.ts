/**
 * Found over HTTP: a message of 8 MiB with a million entries that are not what they should be. The schema told of each of them: half a minute and five gigabytes, in which the daemon
 * answered nobody. A viewer's key was enough for it.
 */
import { describe, expect, test } from "bun:test";
import { parsedParams } from "../../src/daemon/calls/parsed-params.ts";
import { quoteValue } from "../../src/protocol/methods/expected.ts";
import { nearest } from "../../src/protocol/methods/nearest.ts";
import { type AnyRow, type Method, TABLE } from "../../src/protocol/methods/table.schema.ts";

function refusal(method: Method, params: unknown): { message: string; issues: number } {
  try {
    parsedParams(TABLE.get(method) as AnyRow, params);
  } catch (error) {
    const { message, details } = error as { message: string; details: { issues?: unknown[] } };
    return { message, issues: details.issues?.length ?? 0 };
  }
  throw new Error("it was taken");
}

describe("Long parameters", () => {
  test("are taken as they are where they are right", () => {
    const argv = Array.from({ length: 2500 }, (_, at) => String(at));
    const env = Object.fromEntries(argv.map((text) => [`k${text}`, text]));
    expect(parsedParams(TABLE.get("session.start") as AnyRow, { argv, env })).toMatchObject({ argv, env });
  });

  test("that are wrong in a million places are told of by the first", () => {
    const { message, issues } = refusal("session.start", { argv: Array(1_000_000).fill(1) });
    expect(message).toStartWith("session.start: argv.0: got 1, expected a text; argv.1:");
    expect(issues).toBe(10);
    expect(refusal("session.wait", { session_id: "x", until: Array(500_000).fill(1) }).issues).toBe(10);
  });

  test("that are wrong far behind are told of by their place", () => {
    const argv = [...Array(100_500).fill("x"), 5, "y"];
    expect(refusal("session.start", { argv }).message).toBe("session.start: argv.100500: got 5, expected a text");
    const env = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`k${at}`, at === 2999 ? 1 : "x"]));
    expect(refusal("session.start", { argv: ["x"], env }).message).toContain("env.k2999: got 1");
  });

  test("within others, and a hundred thousand levels of them, are refused", () => {
    expect(refusal("session.wait", { session_id: "x", until: [{ match: Array(5000).fill(1) }] }).message).toContain(
      "until",
    );
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    for (const params of [{ session_id: deep }, { session_id: "x", until: [deep] }])
      expect(refusal("session.wait", params).message).toContain("64 levels");
  });

  test("of names that nobody knows are counted, and the first are named", () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at]));
    const { message } = refusal("session.get", { session_id: "x", ...many });
    expect(message).toContain('"k4" (there is session_id), nor 99995 more');
    expect(message.length).toBeLessThan(300);
    expect(refusal("session.start", { ["k".repeat(7_000_000)]: 1 }).message.length).toBeLessThan(1000);
  });
});

test("what is too long to have been mistyped is near nothing, and what is too deep to be written is shown as that", () => {
  expect(nearest(`session_i${"d".repeat(100)}`, ["session_id"])).toBeNull();
  expect(quoteValue(JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`))).toBe("[[…");
  expect(quoteValue("x".repeat(1_000_000)).length).toBe(81);
});
