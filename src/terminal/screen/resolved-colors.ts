/** Resolves styles to colours and escapes markup, for the HTML and SVG formats. */
import { DARK, type DefaultColors, paletteHex } from "./default-colors.ts";
import type { Color, Screen, Style } from "./screen.ts";
import { channels } from "./sgr.ts";

export interface Paint {
  foreground: string;
  background: string;
  underline: string;
  /** The background differs from the screen's and must be painted. */
  isFilled: boolean;
}

export interface ResolvedColors extends DefaultColors {
  of(color: Color): string;
}

/** The program's own colours override `defaults`. */
export function resolvedColors(screen: Screen, defaults: DefaultColors = DARK): ResolvedColors {
  const { palette, foreground, background, cursor } = screen.colors;
  const colors = {
    foreground: foreground ?? defaults.foreground,
    background: background ?? defaults.background,
    cursor: cursor ?? defaults.cursor,
  };
  const [front, back] = screen.modes.reverse_video
    ? [colors.background, colors.foreground]
    : [colors.foreground, colors.background];
  return {
    foreground: front,
    background: back,
    cursor: colors.cursor,
    of: (color) => (typeof color === "string" ? color : (palette[color] ?? paletteHex(color) ?? front)),
  };
}

export function paintOf(style: Style, palette: ResolvedColors): Paint {
  // Bold text in one of the first eight colours is bright, as in most terminals.
  const bright = style.bold && typeof style.foreground === "number" && style.foreground < 8;
  const named = bright && typeof style.foreground === "number" ? style.foreground + 8 : style.foreground;
  let foreground = named === undefined ? palette.foreground : palette.of(named);
  let background = style.background === undefined ? palette.background : palette.of(style.background);
  if (style.inverse) [foreground, background] = [background, foreground];
  if (style.dim) foreground = between(foreground, background);
  const underline = style.underline_color === undefined ? foreground : palette.of(style.underline_color);
  const isFilled = background !== palette.background;
  return { foreground: style.hidden ? background : foreground, background, underline, isFilled };
}

function between(one: string, other: string): string {
  const [a, b] = [channels(one), channels(other)];
  return `#${a
    .map((value, index) =>
      Math.round((value * 2 + (b[index] ?? 0)) / 3)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Escapes text and attributes; characters that XML forbids and bidi controls become U+FFFD. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The style's link, if it is an http(s) URL. */
export function webLink(style: Style): string | undefined {
  const uri = style.link?.uri;
  return uri !== undefined && /^https?:\/\/[^\s\x00-\x20]+$/i.test(uri) && URL.canParse(uri) ? uri : undefined;
}
