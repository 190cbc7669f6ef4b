/**
 * Renders a help page. In its text, `# ` begins a heading, a block with tabs is a list of names and
 * descriptions, indented blocks stay as they are, and all other blocks are paragraphs filled to the
 * terminal's width. `code` is coloured.
 */
import { displayWidth, padToWidth } from "../../terminal/text/width.ts";
import type { Style } from "./style.ts";

const MIN_WIDTH = 40;
const MAX_WIDTH = 100;
/** If the second column would be narrower than this, it goes below the first. */
const MIN_SECOND_COLUMN = 24;
const INDENT = "  ";

export function renderPage(text: string, style: Style): string {
  const blocks = text.trim().split(/\n{2,}/);
  return `${blocks.map((block) => renderBlock(block, style)).join("\n\n")}\n`;
}

/** The first lines of a page: a bold name, then text. */
export function titled(name: string, text: string, style: Style): string {
  const lines = fill(name + text, pageWidth(style)).join("\n");
  return `${style.paint("bold", name)}${lines.slice(name.length)}\n`;
}

function renderBlock(block: string, style: Style): string {
  const [first = "", ...rest] = block.split("\n");
  if (first.startsWith("# ")) {
    const below = rest.length === 0 ? "" : `\n${renderBlock(rest.join("\n"), style)}`;
    return style.paint("bold", first.slice(2)) + below;
  }
  if (block.includes("\t")) return renderPairs(pairsIn(block), style).trimEnd();
  if (first.startsWith(INDENT)) return withCode(block, style);
  return fill(block, pageWidth(style))
    .map((line) => withCode(line, style))
    .join("\n");
}

function pairsIn(block: string): [string, string][] {
  return block.split("\n").map((line) => {
    const [left = "", right = ""] = line.trim().split("\t");
    return [left, right];
  });
}

/** A list of names on the left and descriptions on the right. */
export function renderPairs(pairs: readonly (readonly [left: string, right: string])[], style: Style): string {
  const widest = Math.max(...pairs.map(([left]) => displayWidth(left)));
  const room = pageWidth(style) - INDENT.length;
  const half = Math.min(widest, Math.floor(pageWidth(style) / 2)) + 2;
  const column = room - half < MIN_SECOND_COLUMN ? 2 * INDENT.length : half;
  let out = "";
  for (const [left, right] of pairs) {
    const lines = fill(right, room - column).map((line) => withCode(line, style));
    const tooWide = displayWidth(left) > column - 2;
    out += INDENT + style.paint("accent", tooWide ? left : padToWidth(left, column));
    if (tooWide && right !== "") out += `\n${INDENT}${" ".repeat(column)}`;
    out += `${lines.join(`\n${INDENT}${" ".repeat(column)}`).trimEnd()}\n`;
  }
  return out.replaceAll(/ +$/gm, "");
}

export function pageWidth({ columns }: Style): number {
  return Math.max(MIN_WIDTH, Math.min(columns, MAX_WIDTH));
}

/** Breaks lines between words, and inside `code` only if it is longer than a line. */
export function fill(text: string, width: number): string[] {
  const whole = text.replaceAll(/`[^`]*`/g, (code) =>
    displayWidth(code) > width ? code : code.replaceAll(" ", "\u00a0"),
  );
  const lines: string[] = [];
  let line = "";
  for (const word of whole.split(/[ \n]+/)) {
    if (line !== "" && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((filled) => filled.replaceAll("\u00a0", " "));
}

function withCode(line: string, style: Style): string {
  const painted = style.paint("accent", "x") !== "x";
  return painted ? line.replaceAll(/`([^`]*)`/g, (_, code: string) => style.paint("accent", code)) : line;
}
