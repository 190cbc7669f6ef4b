/** Tables and colour. */
import { describe, expect, test } from "bun:test";
import { makeStyle } from "../../src/cli/output/style.ts";
import { type Cell, type Column, renderTable } from "../../src/cli/output/table.ts";

const COLUMNS: readonly Column[] = [
  { header: "ID", preferredWidth: 4, minWidth: 2, dropOrder: 2 },
  { header: "NAME", preferredWidth: 4, minWidth: 2, dropOrder: null },
  { header: "NOTE", preferredWidth: 6, minWidth: 0, dropOrder: 1 },
];

const plain = (...texts: string[]): Cell[] => texts.map((text) => ({ text, look: "plain" }));
const at = (columns: number) => makeStyle({ tty: true, columns, env: { NO_COLOR: "1" } });
const lines = (columns: number, ...rows: Cell[][]): string[] =>
  renderTable(COLUMNS, rows, at(columns)).trimEnd().split("\n");

describe("A table", () => {
  test("It is as wide as its content, without trailing spaces.", () => {
    expect(lines(40, plain("k3f9", "web", "ready"), plain("m8", "tests", ""))).toEqual([
      "ID    NAME   NOTE", //
      "k3f9  web    ready",
      "m8    tests",
    ]);
  });

  test("The widest column shrinks first, and shows an ellipsis.", () => {
    expect(lines(20, plain("k3f9", "web", "ready on port 3100"))).toEqual([
      "ID    NAME  NOTE", //
      "k3f9  web   ready o…",
    ]);
  });

  test("Columns are dropped in their order; then the others shrink.", () => {
    expect(lines(16, plain("k3f9", "wonderful", "ready on port"))).toEqual(["ID    NAME", "k3f9  wonderful"]);
    expect(lines(9, plain("k3f9", "wonderful", "ready on port"))).toEqual(["NAME", "wonderful"]);
    expect(lines(6, plain("k3f9", "wonderful", "ready on port"))).toEqual(["NAME", "wonde…"]);
  });

  test("Wide characters take two columns and are never cut in half.", () => {
    expect(lines(40, plain("k3f9", "日本", "x"), plain("m81x", "abc", "y"))).toEqual([
      "ID    NAME  NOTE", //
      "k3f9  日本  x",
      "m81x  abc   y",
    ]);
    expect(lines(18, plain("k3f9", "web", "日本語テキスト"))).toEqual(["ID    NAME  NOTE", "k3f9  web   日本…"]);
  });

  test("Colour does not change the layout.", () => {
    const rows = [
      [
        { text: "k3f9", look: "accent" },
        { text: "日本", look: "bold" },
        { text: "x".repeat(40), look: "dim" },
      ],
    ] as const;
    const coloured = renderTable(COLUMNS, rows, makeStyle({ tty: true, columns: 30, env: {} }));
    expect(coloured).toContain("\x1b[36mk3f9\x1b[39m");
    expect(Bun.stripANSI(coloured)).toBe(renderTable(COLUMNS, rows, at(30)));
  });
});

describe("Colour", () => {
  const paints = (env: Record<string, string>, tty = true): boolean =>
    makeStyle({ tty, columns: 80, env }).paint("bad", "x") !== "x";

  test("There is none without a terminal, with NO_COLOR, on a dumb terminal, or with CLICOLOR=0.", () => {
    expect(paints({ TERM: "xterm" })).toBe(true);
    expect(paints({ TERM: "xterm" }, false)).toBe(false);
    expect(paints({ NO_COLOR: "1" })).toBe(false);
    expect(paints({ NO_COLOR: "0" })).toBe(false);
    expect(paints({ NO_COLOR: "" })).toBe(true);
    expect(paints({ TERM: "dumb" })).toBe(false);
    expect(paints({ CLICOLOR: "0" })).toBe(false);
  });
});
