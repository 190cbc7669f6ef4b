/** Dark or light: as the system says, unless the person chose. */
import { signal } from "@preact/signals";

export type Theme = "dark" | "light";

const CHOSEN = "holt-theme";
const system = matchMedia("(prefers-color-scheme: light)");
const chosen = (): Theme | null => {
  const stored = localStorage.getItem(CHOSEN);
  return stored === "dark" || stored === "light" ? stored : null;
};
const current = (): Theme => chosen() ?? (system.matches ? "light" : "dark");

export const theme = signal<Theme>(current());

export function applyTheme(): void {
  theme.value = current();
  document.documentElement.dataset["theme"] = theme.value;
}

export function toggleTheme(): void {
  localStorage.setItem(CHOSEN, theme.value === "dark" ? "light" : "dark");
  applyTheme();
}

system.addEventListener("change", applyTheme);

/** Tuned to both: every colour can be read on the background. */
export const PALETTES = {
  dark: {
    background: "#0e1518",
    foreground: "#d5dee2",
    cursor: "#4fd1c5",
    cursorAccent: "#0e1518",
    selectionBackground: "#2a4a50",
    black: "#1c262b",
    red: "#f27e7e",
    green: "#7fcf8e",
    yellow: "#e3b860",
    blue: "#74aef0",
    magenta: "#c99bf0",
    cyan: "#5fd0c6",
    white: "#c6d1d6",
    brightBlack: "#6f828b",
    brightRed: "#ff9c9c",
    brightGreen: "#9fe3ab",
    brightYellow: "#f5d07e",
    brightBlue: "#9cc7fa",
    brightMagenta: "#dcb9fa",
    brightCyan: "#86e5dc",
    brightWhite: "#f2f6f8",
    scrollbarSliderBackground: "#6f828b40",
    scrollbarSliderHoverBackground: "#6f828b80",
    scrollbarSliderActiveBackground: "#6f828ba0",
    overviewRulerBorder: "#0e151800",
  },
  light: {
    background: "#fbfcfc",
    foreground: "#1d2a30",
    cursor: "#0c7c73",
    cursorAccent: "#fbfcfc",
    selectionBackground: "#bfe3df",
    black: "#1d2a30",
    red: "#b42b2b",
    green: "#1f7a36",
    yellow: "#8a5a00",
    blue: "#1f5fb0",
    magenta: "#8038b0",
    cyan: "#0c7c73",
    white: "#6b7a82",
    brightBlack: "#5c6b73",
    brightRed: "#9e1f1f",
    brightGreen: "#17652b",
    brightYellow: "#754b00",
    brightBlue: "#174f96",
    brightMagenta: "#6c2c98",
    brightCyan: "#0a6a62",
    brightWhite: "#3c4a51",
    scrollbarSliderBackground: "#5c6b7340",
    scrollbarSliderHoverBackground: "#5c6b7380",
    scrollbarSliderActiveBackground: "#5c6b73a0",
    overviewRulerBorder: "#fbfcfc00",
  },
} as const;
