/** Formats a screen as SVG. */
import type { DefaultColors } from "./default-colors.ts";
import type { Screen, ScreenRun, Underline } from "./screen.ts";
import { escapeMarkup, paintOf, type ResolvedColors, resolvedColors, webLink } from "./resolved-colors.ts";

const WIDTH = 8.4;
const HEIGHT = 17;
const BASELINE = 13;
const PADDING = 8;
const FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";

/**
 * One self-contained picture. Every run is placed at its column and stretched to its width,
 * whatever the font.
 */
export function screenSvg(screen: Screen, defaults?: DefaultColors): string {
  const palette = resolvedColors(screen, defaults);
  const width = round(screen.cols * WIDTH + 2 * PADDING);
  const height = screen.rows * HEIGHT + 2 * PADDING;
  const body = screen.lines.map((runs, row) => rowSvg(runs, row, palette)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escapeMarkup(FONT)}" font-size="14" xml:space="preserve">
${screen.title === "" ? "" : `<title>${escapeMarkup(screen.title)}</title>\n`}<rect width="100%" height="100%" fill="${palette.background}"/>
${body}${cursorSvg(screen, palette)}</svg>
`;
}

function rowSvg(runs: ScreenRun[], row: number, palette: ResolvedColors): string {
  let column = 0;
  let out = "";
  for (const run of runs) {
    out += runSvg(run, { x: round(PADDING + column * WIDTH), y: PADDING + row * HEIGHT }, palette);
    column += run.columns;
  }
  return out === "" ? "" : `${out}\n`;
}

function runSvg(
  { text, columns, style }: ScreenRun,
  { x, y }: { x: number; y: number },
  palette: ResolvedColors,
): string {
  const paint = paintOf(style, palette);
  const width = round(columns * WIDTH);
  const ground = paint.isFilled
    ? `<rect x="${x}" y="${y}" width="${width}" height="${HEIGHT}" fill="${paint.background}"/>`
    : "";
  if (style.hidden) return ground;
  const blank = text.trim() === "";
  const font = `${style.bold ? ' font-weight="bold"' : ""}${style.italic ? ' font-style="italic"' : ""}`;
  const glyphs = blank
    ? ""
    : `<text x="${x}" y="${y + BASELINE}" fill="${paint.foreground}" textLength="${width}" lengthAdjust="spacingAndGlyphs" style="white-space:pre"${font}>${escapeMarkup(text)}</text>`;
  const at = { x, width };
  const lines =
    underlinePath(style.underline, { ...at, y: y + BASELINE + 2 }, paint.underline) +
    underlinePath(style.strikethrough && "single", { ...at, y: y + BASELINE - 4 }, paint.foreground) +
    underlinePath(style.overline && "single", { ...at, y: y + 1 }, paint.foreground);
  const drawn = ground + glyphs + lines;
  const link = webLink(style);
  return link === undefined || drawn === "" ? drawn : `<a href="${escapeMarkup(link)}">${drawn}</a>`;
}

function cursorSvg({ cursor }: Screen, palette: ResolvedColors): string {
  if (!cursor.visible) return "";
  const x = round(PADDING + cursor.col * WIDTH);
  const y = PADDING + cursor.row * HEIGHT;
  if (cursor.shape === "bar")
    return `<rect x="${x}" y="${y}" width="2" height="${HEIGHT}" fill="${palette.cursor}"/>\n`;
  if (cursor.shape === "underline") {
    return `<rect x="${x}" y="${y + HEIGHT - 2}" width="${WIDTH}" height="2" fill="${palette.cursor}"/>\n`;
  }
  return `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" fill="${palette.cursor}" fill-opacity="0.5"/>\n`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

interface LineBox {
  x: number;
  y: number;
  width: number;
}

const DASHES: Partial<Record<Underline, string>> = { dotted: "1 2", dashed: "4 2" };

/** A line in an underline style; empty for none. */
function underlinePath(style: Underline | undefined, { x, y, width }: LineBox, color: string): string {
  if (style === undefined) return "";
  if (style === "double") {
    return (
      underlinePath("single", { x, y: y - 1, width }, color) + underlinePath("single", { x, y: y + 1, width }, color)
    );
  }
  const path = style === "curly" ? wave({ x, y, width }) : `M${x} ${y}h${width}`;
  const dashes = DASHES[style] === undefined ? "" : ` stroke-dasharray="${DASHES[style]}"`;
  return `<path d="${path}" fill="none" stroke="${color}"${dashes}/>`;
}

function wave({ x, y, width }: LineBox): string {
  const halves = Math.max(1, Math.round(width / 4.2));
  const step = Math.round((width / halves) * 100) / 100;
  const curves = Array.from({ length: halves }, (_, index) => `q${step / 2} ${index % 2 === 0 ? -2 : 2} ${step} 0`);
  return `M${x} ${y}${curves.join("")}`;
}
