import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Framed, Framing } from "../../src/surfaces/jsonrpc/framing.ts";
import { chunksOf, cuts } from "../support/streams.ts";

const MOST = 1000;

function framed(chunks: readonly Uint8Array[], { ends = true } = {}): unknown[] {
  const framing = new Framing(MOST);
  const told = (each: Framed): unknown => (each.kind === "message" ? Buffer.from(each.bytes).toString() : each);
  const all: unknown[] = [];
  for (const chunk of chunks) {
    const lent = Uint8Array.from(chunk);
    framing.feed(lent);
    for (let each = framing.next(); each !== null; each = framing.next()) all.push(told(each));
    lent.fill(0); // feed() must copy the chunk
  }
  const rest = ends ? framing.unfinished() : null;
  return rest === null ? all : [...all, told(rest)];
}

const headed = (body: string, header = `Content-Length: ${Buffer.byteLength(body)}`): string =>
  `${header}\r\n\r\n${body}`;

describe("messages on a connection", () => {
  test("are lines, unless the first byte begins a header", () => {
    expect(framed([Buffer.from('{"a":1}\n[2]\n3')])).toEqual(['{"a":1}', "[2]", "3"]);
    expect(framed([Buffer.from(`\r\n${headed('{"a":1}')}${headed("é")}`)])).toEqual(['{"a":1}', "é"]);
  });

  test("are complete behind headers, however the chunks are cut", () => {
    const body = fc.string({ maxLength: 60, unit: "binary" });
    const header = fc.constantFrom(
      (length: number) => `Content-Length: ${length}`,
      (length: number) => `content-length:${length}`,
      (length: number) => `Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: ${length}`,
    );
    const property = fc.property(
      fc.array(fc.tuple(body, header), { minLength: 1, maxLength: 6 }),
      cuts,
      (bodies, places) => {
        const stream = Buffer.from(bodies.map(([text, of]) => headed(text, of(Buffer.byteLength(text)))).join(""));
        expect(framed(chunksOf(stream, places))).toEqual(bodies.map(([text]) => Buffer.from(text).toString()));
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  test("that are too long are skipped, and the next is read", () => {
    const stream = headed("x".repeat(MOST + 1)) + headed("next");
    expect(framed(chunksOf(Buffer.from(stream), [10, 500, 900]))).toEqual([{ kind: "too_long" }, "next"]);
  });

  /** Who announced too much waited for an answer while the other side waited for all of it. */
  test("that are too long are reported before their end", () => {
    expect(framed([Buffer.from(`Content-Length: ${MOST + 1}\r\n\r\nx`)])[0]).toEqual({ kind: "too_long" });
  });

  /** The newline of a line that came as one chunk counted as one of its bytes. */
  test("a line of exactly the maximum length is accepted in any chunks", () => {
    const line = "x".repeat(MOST);
    const told = (chunks: string[]) =>
      framed(chunks.map((chunk) => Buffer.from(chunk))).map((each) => (each as string).trimEnd());
    expect(told([`${line}\n`])).toEqual([line]);
    expect(told([line, "\n"])).toEqual([line]);
    expect(told([`${line}\nnext\n`])).toEqual([line, "next"]);
    expect(framed([Buffer.from(`x${line}\n`)])).toEqual([{ kind: "too_long" }]);
  });

  test("a header that names no length ends the connection with the reason", () => {
    const broken = (why: RegExp) => [{ kind: "broken", why: expect.stringMatching(why) }];
    const first = (text: string) => framed([Buffer.from(text)]);
    expect(first("Content-Type: x\r\n\r\n{}")).toEqual(broken(/missing Content-Length/));
    expect(first("Content-Length: ten\r\n\r\n{}")).toEqual(broken(/invalid Content-Length: "ten"/));
    expect(first("Content-Length: -1\r\n\r\n{}")).toEqual(broken(/invalid Content-Length: "-1"/));
    expect(first("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}")).toEqual(broken(/Content-Length headers differ/));
    expect(first("Content-Length 2\r\n\r\n{}")).toEqual(broken(/invalid header/));
    expect(first(`Content-Length: 2${" ".repeat(5000)}`)).toEqual(broken(/longer than 4096/));
    expect(first("Content-Length: 10\r\n\r\nabc")).toEqual(broken(/ended within a message/));
  });

  test("junk behind a header's first letter never hangs, never throws", () => {
    const property = fc.property(fc.uint8Array({ maxLength: 300 }), cuts, (junk, places) => {
      framed(chunksOf(Buffer.concat([Buffer.from("C"), junk]), places));
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
