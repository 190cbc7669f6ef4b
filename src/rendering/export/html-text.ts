/** Styled text (terminal/text/text-view.ts) as HTML: every character is text, every look a class or a colour; nothing else gets through. */
import { type Colour, Pen } from "../../terminal/screen/pen.ts";

const SEQUENCE = /\x1b\[([\d;]*)m/;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** The steps of the 6×6×6 cube in the palette of 256. */
const STEPS = [0, 95, 135, 175, 215, 255];
const CUBE = 16;
const GREYS = 232;

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export function htmlOf(styled: string): string {
  if (!styled.includes("\x1b")) return escapeHtml(styled);
  let html = "";
  let isOpen = false;
  // Every second part is what stood inside a sequence.
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

/** A program uses a few looks over and over; one that draws a rainbow must not fill the memory. */
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
  const [front, back] = isInverse ? [pen.background, pen.foreground] : [pen.foreground, pen.background];
  const colours = [
    ...(front !== null || isInverse ? [`color:${cssColour(front, "var(--back)")}`] : []),
    ...(back !== null || isInverse ? [`background:${cssColour(back, "var(--front)")}`] : []),
  ];
  const classes = [...pen.attributes].filter((attribute) => attribute !== "inverse").join(" ");
  if (classes === "" && colours.length === 0) return "";
  const style = colours.length === 0 ? "" : ` style="${colours.join(";")}"`;
  return `<span${classes === "" ? "" : ` class="${classes}"`}${style}>`;
}

/** The first sixteen are the reader's theme's. */
function cssColour(colour: Colour | null, own: string): string {
  if (colour === null) return own;
  if (typeof colour !== "number") return hex(colour);
  if (colour < CUBE) return `var(--c${colour})`;
  if (colour >= GREYS) return hex(Array.from({ length: 3 }, () => 8 + 10 * (colour - GREYS)));
  const index = colour - CUBE;
  return hex([Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((step) => STEPS[step] ?? 0));
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
