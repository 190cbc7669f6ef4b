/** Dark or light: the user's choice, else that of the system. */
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
