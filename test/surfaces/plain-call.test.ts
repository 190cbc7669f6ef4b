/** Plain calls are told from their bytes: that must be what the parser would have made of them, and whatever differs by a byte is the parser's. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { bytesOf } from "../../src/protocol/bytes.ts";
import { parseMessage } from "../../src/surfaces/jsonrpc/messages.ts";
import { plainCall } from "../../src/surfaces/jsonrpc/plain-call.ts";
import { SOAK } from "../chaos/size.ts";

/** With a space before it, it is none. */
const byParser = (text: string) => parseMessage(bytesOf(` ${text}`));

/** Mostly the first, so that most of what comes of them is one. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...odd: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: usual }, ...odd.map((arbitrary) => ({ weight: 1, arbitrary })));

const plain = fc
  .record({
    id: mostly<number | string>(
      fc.nat(),
      fc.maxSafeNat(),
      fc.constantFrom("00", "01", "-1", "1.5", "1e3", '"a"', "null", ""),
    ),
    method: mostly(
      fc.constantFrom("health.info", "health.infos", "health.inf", "session.list", "A_b.C"),
      fc.constantFrom("", "a\\n", "é", "$/x"),
      fc.string({ maxLength: 8 }),
    ),
    params: mostly(
      fc.constantFrom("", ',"params":{}'),
      fc.constantFrom(',"params":{ }', ',"params":[]', ',"params":null', ',"params":{},"x":1'),
    ),
    end: mostly(fc.constantFrom("", "\n"), fc.constantFrom("\r\n", "\n\n", " ", "x", "}")),
  })
  .map(({ id, method, params, end }) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"${params}}${end}`);

/** One byte is another, or none. */
const nearly = fc.tuple(plain, fc.nat(), fc.constantFrom("", " ", "0", '"', "}", ",")).map(([text, at, put]) => {
  const place = at % Math.max(1, text.length);
  return text.slice(0, place) + put + text.slice(place + 1);
});

test("what is read without the parser is read as by it", () => {
  let count = 0;
  fc.assert(
    fc.property(fc.oneof(plain, nearly), (text) => {
      const told = plainCall(bytesOf(text));
      if (told !== null) count++;
      expect(parseMessage(bytesOf(text))).toEqual(byParser(text));
    }),
    { numRuns: SOAK ? 200_000 : 5000 },
  );
  expect(count).toBeGreaterThan(500);
});

test.each(['{"jsonrpc":"2.0","id":7,"method":"health.info","params":{}}\n', '{"jsonrpc":"2.0","id":0,"method":"a"}'])(
  "%p is one",
  (text) => {
    expect(plainCall(bytesOf(text))).toMatchObject({ kind: "call" });
  },
);
