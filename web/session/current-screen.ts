/** The visible terminal, for find and copy. */
import type { Screen } from "./screen.ts";

const screens: Screen[] = [];

export function registerScreen(screen: Screen): () => void {
  screens.push(screen);
  return () => {
    const at = screens.indexOf(screen);
    if (at >= 0) screens.splice(at, 1);
  };
}

export function currentScreen(): Screen | null {
  return screens.find(({ isShown }) => isShown) ?? null;
}

/** The selection, or the screen with its scrollback, without trailing blanks. */
export function cleanText({ terminal }: Screen): string {
  const selected = terminal.getSelection();
  if (selected !== "") return selected;
  const { buffer } = terminal;
  const lines: string[] = [];
  for (let at = 0; at < buffer.active.length; at++) {
    const line = buffer.active.getLine(at);
    const text = line?.translateToString(true) ?? "";
    if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.join("\n").trimEnd();
}
