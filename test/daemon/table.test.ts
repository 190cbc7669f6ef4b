import { expect, test } from "bun:test";
import { isErrorCode } from "../../src/protocol/errors.ts";
import { TABLE } from "../../src/protocol/table.schema.ts";

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
