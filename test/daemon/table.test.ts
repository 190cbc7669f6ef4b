import { expect, test } from "bun:test";
import { isErrorCode } from "../../src/protocol/types/errors.ts";
import { issueMessage, paramErrors } from "../../src/protocol/methods/param-errors.schema.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";

test.each([...TABLE.values()].map((row) => [row.name, row] as const))(
  "%s is a whole row, whose examples are what it takes",
  (name, row) => {
    expect(name).toMatch(/^[a-z]+\.[a-z_]+$/);
    expect(row.summary).toMatch(/[^.]$/);
    expect(row.errors.every(isErrorCode)).toBe(true);
    expect(row.examples.length).toBeGreaterThan(0);
    for (const example of row.examples) expect(row.params.safeParse(example)).toMatchObject({ success: true });
    expect(row.params.safeParse({ nonsense: 1 })).toMatchObject({ success: false });
  },
);

const refused = (method: string, params: object): string[] => {
  const parsed = TABLE.get(method)?.params.safeParse(params, { error: issueMessage });
  return paramErrors(parsed?.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
};

const WRONG = [7.5, "no!", true, null, [], {}, { x: 1 }, ["no!"], [{ idle_ms: 0 }]];

/** `session.wait` with a wrong `until` was answered with "Invalid input", and nobody knew what of it was wrong. */
test.each([...TABLE.values()].map((row) => [row.name, row] as const))(
  "%s names what it was given and what it takes, for each of its parameters",
  (name, row) => {
    for (const key of Object.keys((row.params as unknown as { shape: object }).shape))
      for (const value of WRONG)
        for (const message of refused(name, { [key]: value }))
          expect(message).toMatch(
            /^[a-z_.0-9]+: (?:got .+, expected .+|missing, expected .+|there is no "\w+" \(.+\))$/,
          );
  },
);

test("of what may be several things it says what is wrong with the one that was meant", () => {
  const wait = (until: unknown): string[] => refused("session.wait", { session_id: "x", until });
  const all =
    '"exit", "output", "input", "prompt", {"idle_ms": N}, {"match": "REGEX"}, {"screen_match": "REGEX"} or {"port": N}';
  expect(wait("bogus")).toEqual([`until: got "bogus", expected ${all} or a list of these`]);
  expect(wait(["exit", "bogus"])).toEqual([`until.1: got "bogus", expected ${all}`]);
  expect(wait({ idle_ms: 0 })).toEqual(["until.idle_ms: got 0, expected a whole number from 1 to 86400000"]);
  expect(wait([])).toEqual(["until: got [], expected a list of at least one of these"]);
  const start = (params: object): string[] => refused("session.start", { argv: ["x"], ...params });
  expect(start({ pty: true })).toEqual(["pty: got true, expected false or an object of rows, cols"]);
  expect(start({ pty: { rows: 0, cols: 9 } })).toEqual(["pty.rows: got 0, expected a whole number from 1 to 4096"]);
  expect(start({ tiemout_ms: 1 })).toEqual([': there is no "tiemout_ms" (did you mean timeout_ms?)']);
});
