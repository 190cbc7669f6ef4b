/** Writes styles as SGR sequences. */
import type { Color, Style, Underline } from "./screen.ts";

const UNDERLINES: Record<Underline, string> = {
  single: "4",
  double: "4:2",
  curly: "4:3",
  dotted: "4:4",
  dashed: "4:5",
};

/** SGR parameters that set a style from any other. */
export function sgrParameters(style: Style): string {
  const parameters = ["0"];
  if (style.bold) parameters.push("1");
  if (style.dim) parameters.push("2");
  if (style.italic) parameters.push("3");
  if (style.underline) parameters.push(UNDERLINES[style.underline]);
  if (style.blink) parameters.push("5");
  if (style.inverse) parameters.push("7");
  if (style.hidden) parameters.push("8");
  if (style.strikethrough) parameters.push("9");
  if (style.overline) parameters.push("53");
  if (style.foreground !== undefined) parameters.push(color(style.foreground, 30));
  if (style.background !== undefined) parameters.push(color(style.background, 40));
  if (style.underline_color !== undefined) parameters.push(underlineColor(style.underline_color));
  return parameters.join(";");
}

export function sgr(style: Style): string {
  const parameters = sgrParameters(style);
  return `\x1b[${parameters === "0" ? "" : parameters}m`;
}

/** Uses semicolons: not every terminal understands the standard's colons. */
function color(value: Color, base: 30 | 40): string {
  if (typeof value === "string") return `${base + 8};2;${channels(value).join(";")}`;
  if (value < 8) return `${base + value}`;
  return value < 16 ? `${base + 60 + value - 8}` : `${base + 8};5;${value}`;
}

/** Uses colons: a terminal that does not know 58 would take following parameters for attributes. */
function underlineColor(value: Color): string {
  return typeof value === "string" ? `58:2::${channels(value).join(":")}` : `58:5:${value}`;
}

export function channels(value: string): [number, number, number] {
  const number = Number.parseInt(value.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}
