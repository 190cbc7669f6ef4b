import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import * as z from "zod";
import { plainCheck } from "../../src/protocol/plain-values.schema.ts";
import { sparseParse } from "../../src/protocol/sparse-params.schema.ts";
import { TABLE } from "../../src/protocol/table.schema.ts";

describe("Parameters that are looked at only where they are given", () => {
  test.each([...TABLE.values()].map((row) => [row.name, row] as const))(
    "%s: are what its schema makes of them",
    (_, row) => {
      const sparse = sparseParse(row.params);
      for (const given of [...row.examples, {}])
        for (const how of ["plain", "by key"] as const) {
          const whole = row.params.safeParse(given);
          const quick = sparse(given, how);
          if (whole.success) expect(quick === null ? whole.data : defined(quick)).toEqual(defined(whole.data));
          else expect(quick).toBeNull();
        }
    },
  );

  test("a value that is taken for plain is one that its schema takes, and leaves as it is", () => {
    const fields = [...TABLE.values()].flatMap(({ params }) => Object.values(params.shape));
    const known = fields.flatMap((schema) => {
      const isPlain = plainCheck(schema);
      return isPlain === null ? [] : [{ schema, isPlain }];
    });
    expect(known.length).toBeGreaterThan(50);
    let taken = 0;
    const words = fc.constantFrom("clean", "project", "text", "shared", "raw", "", "x");
    const number = fc.oneof(fc.integer(), fc.integer({ min: -2, max: 700 }), fc.double(), fc.constantFrom(2 ** 53, -0));
    const size = fc.record({ cols: number, rows: number, more: number }, { requiredKeys: [] });
    const value = fc.oneof(
      fc.jsonValue(),
      fc.boolean(),
      words,
      fc.array(words),
      number,
      size,
      fc.record({ cols: fc.integer({ min: 0, max: 700 }), rows: fc.integer({ min: 0, max: 700 }) }),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(fc.nat(known.length - 1), value, (which, given) => {
        const { schema, isPlain } = known[which] ?? unreachable();
        if (!isPlain(given)) return;
        taken++;
        expect((schema as z.ZodType).safeParse(given)).toEqual({ success: true, data: given });
      }),
      { numRuns: 10_000 },
    );
    expect(taken).toBeGreaterThan(500);
  });

  /** A rule that was added to a terminal's size made every start at one ask its schema again: a tenth of a millisecond, and nobody noticed. */
  test("an ordinary start is told as plain, on pipes and at a terminal; one of too many cells is not", () => {
    const { params } = TABLE.get("session.start") ?? unreachable();
    const isPlain = (pty: unknown): boolean =>
      sparseParse(params)({ argv: ["npm", "test"], cwd: "/", session_id: "x", name: "y", pty }, "plain") !== null;
    expect([false, { cols: 80, rows: 24 }, { cols: 32_767, rows: 32_767 }].map(isPlain)).toEqual([true, true, false]);
  });

  test("a rule that it does not know is asked", () => {
    for (const schema of [
      z.string().min(2),
      z.string().trim(),
      z.base64(),
      z.array(z.string()).max(1),
      z.array(z.string().trim()),
      z
        .boolean()
        .nullable()
        .refine(() => false),
      z.union([z.string().trim(), z.string()]),
      z.int().min(1).multipleOf(2),
      z.int().gt(1),
      z.number().min(1),
      z.int32(),
      z.object({ cols: z.int() }),
      z.strictObject({ cols: z.number() }),
      z.strictObject({ cols: z.int(), rows: z.int().default(2) }),
    ])
      for (const given of [" x ", ["a", "b"], [" a"], true, "?", 1, { cols: 1 }])
        expect(plainCheck(schema)?.(given) ?? false).toBe(false);
  });

  test("most calls are looked at that way", () => {
    const start = TABLE.get("session.start");
    expect(start && sparseParse(start.params)({ argv: ["true"], pty: false }, "plain")).toMatchObject({
      argv: ["true"],
      pty: false,
      env_mode: "project",
      name: null,
    });
  });

  test("whatever is not plainly right is left to the schema", () => {
    const sparse = sparseParse(z.strictObject({ id: z.string(), count: z.number().default(1) }));
    expect(sparse({ id: "x" }, "by key")).toEqual({ id: "x", count: 1 });
    for (const given of [{}, { id: 1 }, { id: "x", count: "1" }, { id: "x", other: 1 }, [], null, "x"])
      expect(sparse(given, "by key")).toBeNull();
    expect(sparse(JSON.parse('{"id": "x", "__proto__": {"count": 2}}'), "by key")).toBeNull();
    const refined = z.strictObject({ id: z.string() }).refine(({ id }) => id !== "x");
    expect(sparseParse(refined)({ id: "y" }, "by key")).toBeNull();
  });

  test("what was left out is nobody's to change", () => {
    const sparse = sparseParse(z.strictObject({ list: z.array(z.string()).default([]) }));
    expect(Object.isFrozen(sparse({}, "plain")?.["list"])).toBe(true);
  });
});

function unreachable(): never {
  throw new Error("there is one");
}

/** An optional key that is not there may also be there, and undefined. */
function defined(params: unknown): unknown {
  return Object.fromEntries(Object.entries(params as object).filter(([, value]) => value !== undefined));
}
