/** Formats a screen as text, ANSI, HTML or SVG. */
import type { ScreenFormat } from "../../protocol/types/screen-format.ts";
import type { Screen } from "./screen.ts";
import { screenAnsi } from "./screen-ansi.ts";
import { screenHtml } from "./screen-html.ts";
import { screenSvg } from "./screen-svg.ts";
import { screenText } from "./screen-text.ts";

const FORMATTERS: Record<ScreenFormat, (screen: Screen) => string> = {
  text: screenText,
  ansi: screenAnsi,
  html: (screen) => screenHtml(screen),
  svg: (screen) => screenSvg(screen),
};

export function formatScreen(screen: Screen, format: ScreenFormat): string {
  return FORMATTERS[format](screen);
}
