import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { cueOf, wordsIn } from "../../src/protocol/cue.ts";
import { blockOf } from "../../src/protocol/environment-block.ts";
import { isPrepared, preparedFrom, preparedMessage } from "../../src/protocol/prepared-start.ts";
import type { StartRequest } from "../../src/protocol/start-request.ts";

const bytes = fc.uint8Array({ maxLength: 300 });
const string = fc.uint8Array({ min: 1, maxLength: 40 });
const NONE = new Uint8Array(0);
const REQUEST = { argv: ["dHJ1ZQ=="], env: ["QT1i"], cwd: "/", umask: 0o22 } as unknown as StartRequest;

describe("A prepared start", () => {
  test("is told from what was sent, whatever it is made of, and not before all of it is there", () => {
    const size = fc.option(
      fc.record({ cols: fc.integer({ min: 1, max: 1000 }), rows: fc.integer({ min: 1, max: 1000 }) }),
    );
    fc.assert(
      fc.property(bytes, bytes, size, fc.nat(), (meta, cue, terminal, at) => {
        const message = preparedMessage({ id: "x.1", size: terminal, meta, cue }, REQUEST);
        expect(isPrepared(message)).toBe(true);
        const found = preparedFrom(message);
        expect(found?.prepared).toEqual({ id: "x.1", size: terminal, meta, cue });
        const rest = new TextDecoder().decode(found?.rest);
        expect(JSON.parse(rest)).toEqual({ cwd: "/", umask: 0o22 });
        const cut = at % message.length;
        expect(preparedFrom(message.subarray(0, cut))).toBeNull();
      }),
    );
  });

  test("a request alone is none", () => {
    expect(isPrepared(new TextEncoder().encode('{"argv":[]}\n'))).toBe(false);
  });
});

describe("A cue", () => {
  const cue = {
    directory: Uint8Array.of(0x2f),
    umask: 0o22,
    paths: blockOf([Uint8Array.of(0x2f, 0x78)]),
    limits: [],
    mark: NONE,
  };

  test("has the words of the command and its environment as they were given", () => {
    const words = fc.array(string, { maxLength: 8 });
    fc.assert(
      fc.property(words, words, fc.boolean(), (argv, env, hasTerminal) => {
        const mark = new TextEncoder().encode("HOLT_SESSION_ID=x");
        const terminal = hasTerminal ? new TextEncoder().encode("/dev/pts/1") : null;
        const made = cueOf({ ...cue, argv, env: blockOf(env), mark, terminal }) ?? NONE;
        // As a holder has it: somewhere in a larger message.
        const message = new Uint8Array(made.length + 7);
        message.set(made, 7);
        expect(wordsIn(message.subarray(7))).toEqual({ argv, env: [...env, mark] });
      }),
    );
  });

  test("is none where it would not fit into a pipe", () => {
    const long = new Uint8Array(70_000).fill(0x78);
    expect(cueOf({ ...cue, argv: [long], env: blockOf([]), terminal: null })).toBeNull();
    expect(cueOf({ ...cue, argv: [], env: blockOf([long]), terminal: null })).toBeNull();
    expect(cueOf({ ...cue, argv: [], env: blockOf([]), paths: blockOf([long]), terminal: null })).toBeNull();
  });
});
