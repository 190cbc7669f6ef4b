/**
 * Converts styled text (terminal/text/text-view.ts) to HTML: characters are escaped, styles become
 * classes and colors, nothing else passes.
 */
import { type PenColor, Pen } from "../../terminal/screen/pen.ts";

const SEQUENCE = /\x1b\[([\d;]*)m/;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Levels of the 6×6×6 color cube. */
const STEPS = [0, 95, 135, 175, 215, 255];
/** In the 256-color palette: 16 colors of the theme, then the cube, then 24 greys. */
const FIRST_CUBE_COLOR = 16;
const FIRST_GREY = 232;

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export function htmlOf(styled: string): string {
  if (!styled.includes("\x1b")) return escapeHtml(styled);
  let html = "";
  let isOpen = false;
  // split() with a group: every second part is the parameters of a sequence.
  for (const [number, part] of styled.split(SEQUENCE).entries()) {
    if (number % 2 === 0) html += escapeHtml(part);
    else {
      const tag = spanOf(part);
      html += (isOpen ? "</span>" : "") + tag;
      isOpen = tag !== "";
    }
  }
  return isOpen ? `${html}</span>` : html;
}

/** Bounds the cache: a program may print thousands of colors. */
const MAX_SPANS = 4096;
const spans = new Map<string, string>();

function spanOf(parameters: string): string {
  const known = spans.get(parameters);
  if (known !== undefined) return known;
  if (spans.size >= MAX_SPANS) spans.clear();
  const span = makeSpan(parameters);
  spans.set(parameters, span);
  return span;
}

function makeSpan(parameters: string): string {
  const pen = new Pen();
  pen.apply(parameters.split(";").map(Number));
  const isInverse = pen.attributes.has("inverse");
  // Inverse swaps the two colors. A default color (null) is then written out as the page's other
  // color: without a color of its own, the text would look as if it were not inverse.
  const [front, back] = isInverse ? [pen.background, pen.foreground] : [pen.foreground, pen.background];
  const colors = [
    ...(front !== null || isInverse ? [`color:${cssColor(front, "var(--back)")}`] : []),
    ...(back !== null || isInverse ? [`background:${cssColor(back, "var(--front)")}`] : []),
  ];
  const classes = [...pen.attributes].filter((attribute) => attribute !== "inverse").join(" ");
  if (classes === "" && colors.length === 0) return "";
  const style = colors.length === 0 ? "" : ` style="${colors.join(";")}"`;
  return `<span${classes === "" ? "" : ` class="${classes}"`}${style}>`;
}

/** The first 16 colors follow the page's theme. `fallback` is for the default color (null). */
function cssColor(color: PenColor | null, fallback: string): string {
  if (color === null) return fallback;
  if (typeof color !== "number") return hex(color);
  if (color < FIRST_CUBE_COLOR) return `var(--c${color})`;
  if (color >= FIRST_GREY) return hex(Array.from({ length: 3 }, () => 8 + 10 * (color - FIRST_GREY)));
  const index = color - FIRST_CUBE_COLOR;
  return hex([Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((step) => STEPS[step] ?? 0));
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
