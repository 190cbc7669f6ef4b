/** Formats a screen as plain text. */
import type { Screen } from "./screen.ts";

/** Rows separated by line feeds, without trailing blanks and empty rows at the bottom. */
export function screenText(screen: Screen): string {
  return rowsOfText(screen).join("\n").replace(/\n+$/, "");
}

/** Text of hidden runs becomes blanks. */
export function rowsOfText({ lines }: Screen): string[] {
  return lines.map((runs) =>
    runs
      .map(({ text, columns, style }) => (style.hidden ? " ".repeat(columns) : text))
      .join("")
      .replace(/ +$/, ""),
  );
}
