/** Whether terminals tell a screen reader what they show: it costs, so it is off until somebody wants it. */
import { signal } from "@preact/signals";

const CHOSEN = "holt-read-aloud";

export const isReadAloud = signal(localStorage.getItem(CHOSEN) === "yes");

export function toggleReadAloud(): void {
  isReadAloud.value = !isReadAloud.value;
  localStorage.setItem(CHOSEN, isReadAloud.value ? "yes" : "no");
}
