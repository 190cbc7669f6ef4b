import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { Renderer } from "../../src/rendering/renderer.ts";
import type { Resize } from "../../src/rendering/renderer.ts";
import { Emulator } from "../../src/terminal/emulator/emulator.ts";

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

test("The renderer stops at the requested cursor and continues from there.", () => {
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

test("A gap is skipped, and ends a sequence that it cuts.", () => {
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

// Regression: a byte that can begin no character was held back as if one had begun, while the
// replay's cursor stood behind it, so it was lost.
test.each([0xc0, 0xc1, 0xf5, 0xff])(
  "A byte that begins no character (%d) is shown before and after a cut behind it.",
  (byte) => {
    const bytes = Uint8Array.of(0x61, byte, 0x62);
    using whole = rendererOf(bytes);
    whole.advance(3, 1000);
    using half = rendererOf(bytes);
    half.advance(2, 1000);
    const { cursor, replay, cols, rows } = half.replay(50);
    using fresh = new Emulator({ cols, rows, scrollback: 50 });
    fresh.write(replay);
    fresh.write(bytes.subarray(cursor));
    expect(fresh.screen()).toEqual(whole.emulator.screen());
  },
);

test("A long string cut by every slice keeps its start as the boundary until it ends.", () => {
  const string = `\x1b]2;${"t".repeat(100_000)}`;
  const bytes = new TextEncoder().encode(`text${string}\x07more`);
  using renderer = rendererOf(bytes, [], 50_000);
  renderer.advance(90_000, 1000);
  expect(renderer.boundary).toBe(4);
  renderer.advance(bytes.length, 1000);
  expect(renderer.boundary).toBe(bytes.length);
});
