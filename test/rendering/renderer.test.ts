import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { Renderer } from "../../src/rendering/renderer.ts";
import type { Resize } from "../../src/rendering/resizes.ts";
import { Emulator } from "../../src/terminal/emulator.ts";

const SIZE = { cols: 30, rows: 8 };

function rendererOf(bytes: Uint8Array, resizes: Resize[] = [], chunk = 7): Renderer {
  return new Renderer({
    source: {
      next: (cursor, maxBytes) =>
        cursor >= bytes.length ? null : { cursor, bytes: bytes.slice(cursor, cursor + Math.min(maxBytes, chunk)) },
    },
    emulator: new Emulator({ ...SIZE, scrollback: 50 }),
    resizes,
    keyframe: null,
  });
}

const soup = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(
        "é",
        "日本",
        "😀",
        "\r\n",
        "\x1b[2J",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[5;5H",
        "\x1b[31m",
        "\x1b]2;t\x07",
        "\x1b[?25l",
        "\x1b[2;4r",
        "\x1bP$qm\x1b\\",
      ),
    ),
    { maxLength: 60 },
  )
  .map((parts) => new TextEncoder().encode(parts.join("")));

test("A replay and what comes after its cursor show what all of it shows, wherever it is cut.", () => {
  fc.assert(
    fc.property(soup, fc.nat(), fc.integer({ min: 1, max: 40 }), (bytes, at, chunk) => {
      const cut = bytes.length === 0 ? 0 : at % (bytes.length + 1);
      using whole = rendererOf(bytes, [], chunk);
      whole.advance(bytes.length, 10_000);
      using half = rendererOf(bytes, [], chunk);
      half.advance(cut, 10_000);
      const { cursor, replay, cols, rows } = half.replay(50);
      expect(cursor).toBeLessThanOrEqual(cut);
      using fresh = new Emulator({ cols, rows, scrollback: 50 });
      fresh.write(replay);
      fresh.write(bytes.subarray(cursor));
      expect(fresh.screen()).toEqual(whole.emulator.screen());
    }),
    { numRuns: 300 },
  );
});

test("Resizes take effect where they happened, whatever the slices.", () => {
  const text = new TextEncoder().encode("one two three four five six seven eight nine ten\r\n".repeat(6));
  const resizes = [
    { cursor: 50, cols: 12, rows: 6 },
    { cursor: 50, cols: 20, rows: 9 },
    { cursor: 200, cols: 40, rows: 4 },
  ];
  using expected = new Emulator({ ...SIZE, scrollback: 50 });
  expected.write(text.subarray(0, 50));
  expected.resize(12, 6);
  expected.resize(20, 9);
  expected.write(text.subarray(50, 200));
  expected.resize(40, 4);
  expected.write(text.subarray(200));
  for (const chunk of [1, 13, 1000]) {
    using renderer = rendererOf(text, resizes, chunk);
    while (!renderer.advance(text.length, 0)) continue;
    expect(renderer.emulator.screen()).toEqual(expected.screen());
  }
});

test("It stops at the cursor that it was given, and goes on from there.", () => {
  const text = new TextEncoder().encode("abcdefghij");
  using renderer = rendererOf(text, [], 4);
  expect(renderer.advance(5, 1000)).toBe(true);
  expect(renderer.cursor).toBe(5);
  expect(
    renderer.emulator
      .screen()
      .lines[0]?.map((run) => run.text)
      .join("")
      .trim(),
  ).toBe("abcde");
  renderer.advance(10, 1000);
  expect(renderer.cursor).toBe(10);
});

test("A gap is passed over, and a sequence that it cut ends there.", () => {
  const [before, after] = [new TextEncoder().encode("ab\x1b[3"), new TextEncoder().encode("cd")];
  using renderer = new Renderer({
    source: {
      next: (cursor) =>
        cursor < before.length
          ? { cursor, bytes: before.subarray(cursor) }
          : cursor < 102
            ? { cursor: Math.max(cursor, 100), bytes: after.subarray(Math.max(0, cursor - 100)) }
            : null,
    },
    emulator: new Emulator({ ...SIZE, scrollback: 50 }),
    resizes: [],
    keyframe: null,
  });
  renderer.advance(1000, 1000);
  expect(renderer.cursor).toBe(102);
  expect(renderer.boundary).toBe(102);
});
