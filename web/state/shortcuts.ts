/** Keyboard shortcuts of the page. In the terminal only those with Ctrl/Cmd work. */
import { groupSessions, sessionsInOrder } from "../list/groups.ts";
import { isFinding } from "../session/find.tsx";
import { step, togglePlay, travel } from "../session/travel.ts";
import { activities, filter, hidden, isOwner, isRailOpen, moment, overlay, selectedId, sessions } from "./app.ts";

/** With Ctrl/Cmd, wherever the focus is. */
const WITH_COMMAND: Record<string, () => void> = {
  k: () => (overlay.value = "palette"),
  F: () => (isFinding.value = true),
  E: toList,
};

const PLAIN: Record<string, () => void> = {
  "/": toFilter,
  "?": () => (overlay.value = "keys"),
  n: () => {
    if (isOwner.value) overlay.value = "start";
  },
  j: () => move(1),
  k: () => move(-1),
  b: () => (isRailOpen.value = !isRailOpen.value),
};

/** While the past is shown, whose terminal takes no input. */
const IN_THE_PAST: Record<string, () => void> = {
  End: () => travel(null),
  Escape: () => travel(null),
  Home: () => travel(0),
  " ": togglePlay,
  "[": () => step(-1),
  "]": () => step(1),
};

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    const action = actionOf(event);
    if (action === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }, { capture: true });
}

function actionOf(event: KeyboardEvent): (() => void) | undefined {
  const { key, shiftKey, altKey, target } = event;
  if (event.ctrlKey || event.metaKey) return altKey ? undefined : WITH_COMMAND[shiftKey ? key.toUpperCase() : key];
  if (altKey || isTyping(target) || (overlay.value !== "none" && isIn(target, "dialog"))) return undefined;
  if (moment.value !== null && !(key === " " && isIn(target, "button, a"))) {
    const action = IN_THE_PAST[key];
    if (action !== undefined) return action;
  }
  if (key === " " && isIn(target, ".track")) return togglePlay;
  if ((key === "Home" || key === "End") && isIn(target, ".track")) return IN_THE_PAST[key];
  return PLAIN[key];
}

function isTyping(target: EventTarget | null): boolean {
  if (isIn(target, ".past")) return false;
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function isIn(target: EventTarget | null, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

function toFilter(): void {
  inRail("#filter");
}

function toList(): void {
  inRail(document.querySelector(".row[aria-current]") === null ? ".row" : ".row[aria-current]");
}

/** Focuses at once if the list is open: the next key is meant for it. */
function inRail(selector: string): void {
  const focus = (): void => document.querySelector<HTMLElement>(`.rail ${selector}`)?.focus();
  if (isRailOpen.value) return focus();
  isRailOpen.value = true;
  requestAnimationFrame(focus);
}

function move(by: number): void {
  const all = sessionsInOrder(groupSessions(sessions.value.values(), activities.value, { filter: filter.value, hidden: hidden.value }));
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["id"] : undefined;
  const from = all.findIndex(({ session_id }) => session_id === (focused ?? selectedId.value));
  const next = all[Math.max(0, Math.min(all.length - 1, from + by))];
  document.querySelector<HTMLElement>(`.row[data-id="${CSS.escape(next?.session_id ?? "")}"]`)?.focus();
}
