/** Formats a screen as HTML. */
import type { DefaultColors } from "./default-colors.ts";
import type { Screen, ScreenRun, Underline } from "./screen.ts";
import { escapeMarkup, type Paint, paintOf, resolvedColors, webLink } from "./resolved-colors.ts";

const FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";
const LINES: Record<Underline, string> = {
  single: "solid",
  double: "double",
  curly: "wavy",
  dotted: "dotted",
  dashed: "dashed",
};

/** One self-contained `<pre>`: inline styles, no script, no request. */
export function screenHtml(screen: Screen, defaults?: DefaultColors): string {
  const palette = resolvedColors(screen, defaults);
  const style = `color:${palette.foreground};background:${palette.background};font-family:${FONT};line-height:1.2;padding:.5em;white-space:pre`;
  const title = screen.title === "" ? "" : ` title="${escapeMarkup(screen.title)}"`;
  const rows = screen.lines.map((runs) => runs.map((run) => runHtml(run, paintOf(run.style, palette))).join(""));
  return `<pre style="${escapeMarkup(style)}"${title}>${rows.join("\n")}</pre>\n`;
}

function runHtml(run: ScreenRun, paint: Paint): string {
  const text = escapeMarkup(run.style.hidden ? " ".repeat(run.columns) : run.text);
  const css = cssOf(run, paint);
  const link = webLink(run.style);
  if (link !== undefined) {
    return `<a href="${escapeMarkup(link)}" rel="noopener noreferrer nofollow" style="color:inherit;${css}">${text}</a>`;
  }
  return css === "" ? text : `<span style="${css}">${text}</span>`;
}

function cssOf({ style, columns, text }: ScreenRun, paint: Paint): string {
  const css: string[] = [];
  if (style.foreground !== undefined || style.inverse || style.dim) css.push(`color:${paint.foreground}`);
  if (paint.isFilled) css.push(`background:${paint.background}`);
  if (style.bold) css.push("font-weight:bold");
  if (style.italic) css.push("font-style:italic");
  const lines = [style.underline && "underline", style.strikethrough && "line-through", style.overline && "overline"];
  const drawn = lines.filter((line) => line !== undefined);
  if (drawn.length > 0) css.push(`text-decoration-line:${drawn.join(" ")}`);
  if (style.underline) css.push(`text-decoration-style:${LINES[style.underline]}`);
  if (style.underline_color !== undefined) css.push(`text-decoration-color:${paint.underline}`);
  // A font's glyph width must not shift the text that follows.
  if (!/^[\x20-\x7e]*$/.test(text)) css.push(`display:inline-block;width:${columns}ch`);
  return css.join(";");
}
