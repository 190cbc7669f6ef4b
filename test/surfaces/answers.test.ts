import { expect, test } from "bun:test";
import { lasting } from "../../src/protocol/lasting.ts";
import { answerText, type Id, resultOf } from "../../src/surfaces/jsonrpc/messages.ts";

const LASTING = lasting({ version: "1", counts: { running: 2 }, missing: undefined });

/** The text of a result that lasts is kept, and put between what differs: it must be what the runtime would have made of the whole. */
test.each<Id>([1, 0, -7, 2 ** 53, 1.5, 1e300, Infinity, "a", 'with "quotes"\n', "", null])(
  "an answer to the id %p is the same whether or not its result lasts",
  (id) => {
    expect(answerText(resultOf(id, LASTING))).toBe(JSON.stringify(resultOf(id, { ...LASTING })));
  },
);

test("what lasts is told apart from what follows it", () => {
  const another = lasting({ version: "2" });
  const texts = [LASTING, another, { version: "3" }, LASTING].map((result) => answerText(resultOf(1, result)));
  expect(texts.map((text) => JSON.parse(text).result.version)).toEqual(["1", "2", "3", "1"]);
});

test("what lasts cannot be changed, however deep", () => {
  expect(() => Object.assign(LASTING.counts, { running: 3 })).toThrow(TypeError);
});
