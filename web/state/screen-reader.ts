/**
 * Whether terminals report their content to a screen reader. That is expensive, so it is off by
 * default.
 */
import { signal } from "@preact/signals";

const CHOSEN = "holt-read-aloud";

export const isScreenReaderOn = signal(localStorage.getItem(CHOSEN) === "yes");

export function toggleScreenReader(): void {
  isScreenReaderOn.value = !isScreenReaderOn.value;
  localStorage.setItem(CHOSEN, isScreenReaderOn.value ? "yes" : "no");
}
