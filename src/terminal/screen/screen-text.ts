import type { Screen } from "./screen.ts";

/** Rows by line feeds, without the blanks at their ends nor the empty rows at the bottom. */
export function screenText(screen: Screen): string {
  return rowsOfText(screen).join("\n").replace(/\n+$/, "");
}

/** What a hidden run says is not shown, and not told. */
export function rowsOfText({ lines }: Screen): string[] {
  return lines.map((runs) =>
    runs
      .map(({ text, columns, style }) => (style.hidden ? " ".repeat(columns) : text))
      .join("")
      .replace(/ +$/, ""),
  );
}
