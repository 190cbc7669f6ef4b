/** Every row's examples and errors through every surface: the answers are the same. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { METHOD_NAMES } from "../../src/protocol/methods/method-names.ts";
import { TABLE } from "../../src/protocol/methods/table.schema.ts";
import { type Answer, comparable } from "./answer.ts";
import { ELSEWHERE, PROVOKED } from "./errors.ts";
import { expectShape } from "./golden.ts";
import { ENDED, Household, SHELL } from "./household.ts";
import { SURFACES, type Surface } from "./surfaces.ts";

/** Only a connection can be told something later: no tool, and over plain HTTP refused (below). */
const OF_A_CONNECTION = new Set(["session.subscribe", "session.unsubscribe"]);
const WITHOUT_CONNECTION = new Set(["MCP", "HTTP"]);
/** Its second example would stop what the others need, and is tested in test/daemon. */
const ONLY_FIRST_EXAMPLE = new Set(["daemon.shutdown"]);

const [FIRST] = Object.keys(SURFACES);

const rows = METHOD_NAMES.map((name) => TABLE.get(name)).filter((row) => row !== undefined);
/** A daemon that is shut down is reached again, and both are made anew. */
function changedBy(method: string, params: object): string[] {
  const ids = [SHELL, ENDED];
  return method === "daemon.shutdown" ? ids : ids.filter((id) => JSON.stringify(params).includes(id));
}

/** The first surface's answers, which the others' must equal. */
const reference = new Map<string, unknown>();

describe.each(Object.keys(SURFACES))("through %s", (name) => {
  let household: Household;
  let surface: Surface;

  beforeAll(async () => {
    household = new Household();
    await household.prepare();
    const open = SURFACES[name];
    if (open === undefined) throw new Error(name);
    surface = await open(household);
  });
  afterAll(async () => {
    await surface[Symbol.asyncDispose]();
    await household[Symbol.asyncDispose]();
  });

  async function answer(method: string, params: object, isReading: boolean): Promise<Answer> {
    await household.prepare();
    const told = await surface.call(method, structuredClone(params));
    // What is refused changes nothing.
    if ("result" in told && !isReading) household.used(changedBy(method, params));
    return told;
  }

  function sameEverywhere(key: string, told: Answer): void {
    const expected = reference.get(key) ?? comparable(told);
    reference.set(key, expected);
    expect(comparable(told)).toEqual(expected);
  }

  for (const row of rows) {
    if (WITHOUT_CONNECTION.has(name) && OF_A_CONNECTION.has(row.name)) continue;
    const examples = ONLY_FIRST_EXAMPLE.has(row.name) ? row.examples.slice(0, 1) : row.examples;
    test.each(examples.map((example) => [JSON.stringify(example), example] as const))(
      `${row.name} %s`,
      async (_text, example) => {
        const told = await answer(row.name, example, row.effect === "read");
        expect(told).toHaveProperty("result");
        sameEverywhere(`${row.name} ${JSON.stringify(example)}`, told);
        if (name === FIRST && example === examples[0] && "result" in told) expectShape(row.name, told.result);
      },
    );

    const provoked = { EBADARGS: { nonsense: 1 }, ...PROVOKED[row.name] };
    test.each(Object.entries(provoked))(`${row.name} refuses with %s`, async (code, params) => {
      const told = await answer(row.name, params, row.effect === "read");
      expect(told).toMatchObject({ error: { code, message: expect.any(String) } });
      sameEverywhere(`${row.name} ${code}`, told);
    });
  }

  test("an unknown method is refused, and the nearest one named", async () => {
    if (WITHOUT_CONNECTION.has(name)) return; // there it is no tool, or no place at all
    expect(await answer("session.lst", {}, true)).toMatchObject({
      error: { code: "EBADARGS", hint: "did you mean session.list?" },
    });
  });
});

test("every error that a row names is brought about here, or its place is named", () => {
  const missing = rows.flatMap((row) =>
    row.errors
      .filter((code) => PROVOKED[row.name]?.[code] === undefined)
      .filter((code) => ELSEWHERE[`${row.name} ${code}`] === undefined && ELSEWHERE[`* ${code}`] === undefined)
      .map((code) => `${row.name} ${code}`),
  );
  expect(missing).toEqual([]);
});
