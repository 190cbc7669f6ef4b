/**
 * The cells of a terminal as drawn by the page and as captured by tmux, in one form for comparison.
 */
import type { Page } from "playwright-core";
import { ROWS } from "./rows.ts";
import { type Look, looksOf, type Size } from "../compare/attached-panes.ts";

export interface Cell {
  text: string;
  /** A colour number, "#rrggbb", or "" for the terminal's default. */
  fg: string;
  bg: string;
  /** Any of: bold dim italic underline. */
  marks: string;
}

interface Span {
  text: string;
  classes: string[];
  color: string;
  background: string;
}

/** xterm's classes of the default colours, swapped by inverse video. */
const INVERTED = "257";
const BLANK: Cell = { text: " ", fg: "", bg: "", marks: "" };

export async function readCells(page: Page): Promise<Cell[][]> {
  const rows = await page.evaluate<Span[][]>(`${ROWS}.map((row) => [...row.querySelectorAll("span")].map((span) => ({
    text: span.textContent.replaceAll("\\u00a0", " "),
    classes: [...span.classList],
    color: span.style.color,
    background: span.style.backgroundColor,
  })))`);
  return rows.map((spans) =>
    trimmed(
      spans.flatMap(({ text, classes, color, background }) => {
        const of = (prefix: string): string =>
          classes.find((name) => name.startsWith(prefix))?.slice(prefix.length) ?? "";
        const look = {
          fg: colourOf(of("xterm-fg-"), color),
          bg: colourOf(of("xterm-bg-"), background),
          marks: ["bold", "dim", "italic", "underline"]
            .filter((name) => classes.some((each) => each.startsWith(`xterm-${name}`)))
            .join(" "),
        };
        return segments(text).map((segment) => ({ text: segment, ...look }));
      }),
    ),
  );
}

/** tmux's capture in that form. */
export function cellsOfTmux(screen: string, size: Size): Cell[][] {
  return looksOf(screen, size).map((row) =>
    trimmed(row.map(({ segment, look }) => ({ text: segment, ...inWords(look) }))),
  );
}

function inWords(look: Look): Omit<Cell, "text"> {
  const on = (code: string): boolean => (look.get(`a${code}`) ?? "") !== "";
  const [fg, bg] = [numberOf(look.get("fg") ?? ""), numberOf(look.get("bg") ?? "")];
  const inverse = on("7");
  return {
    fg: inverse ? bg || INVERTED : fg,
    bg: inverse ? fg || INVERTED : bg,
    marks: [on("1") ? "bold" : "", on("2") ? "dim" : "", on("3") ? "italic" : "", on("4") ? "underline" : ""]
      .filter(Boolean)
      .join(" "),
  };
}

/** SGR colours: 31, 91, 5;9 and 2;1;2;3. */
function numberOf(code: string): string {
  if (code === "") return "";
  if (code.startsWith("5;")) return code.slice(2);
  if (code.startsWith("2;"))
    return `#${code
      .slice(2)
      .split(";")
      .map((part) => Number(part).toString(16).padStart(2, "0"))
      .join("")}`;
  const number = Number(code);
  return String(number >= 90 ? (number % 10) + 8 : number % 10);
}

function colourOf(name: string, rgb: string): string {
  if (name !== "") return name;
  const parts = /rgba?\((\d+), (\d+), (\d+)/.exec(rgb);
  return parts === null
    ? rgb
    : `#${parts
        .slice(1)
        .map((part) => Number(part).toString(16).padStart(2, "0"))
        .join("")}`;
}

function segments(text: string): string[] {
  return [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);
}

/** Trailing blanks are equal to unwritten cells. */
function trimmed(row: Cell[]): Cell[] {
  const last = row.findLastIndex((cell) => !Bun.deepEquals(cell, BLANK));
  return row.slice(0, last + 1);
}
