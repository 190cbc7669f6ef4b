/** What the palette offers: the session that is shown, the page, and every other session. */
import { commandOf, isOwner, isRailOpen, overlay, selected, selectedId, sessions, titleOf } from "../state/app.ts";
import { isReadAloud, toggleReadAloud } from "../state/reading.ts";
import { toggleTheme } from "../state/theme.ts";
import { type Item, itemsOf } from "./items.ts";

export function everything(): Item[] {
  const session = selected.value;
  return [...(session === null ? [] : itemsOf(session)), ...ofPage(), ...others()];
}

function ofPage(): Item[] {
  return [
    ...(isOwner.value ? [{ title: "New session", more: "n", act: () => (overlay.value = "start") }] : []),
    { title: isRailOpen.value ? "Hide the list" : "Show the list", more: "b", act: () => (isRailOpen.value = !isRailOpen.value) },
    { title: "Switch dark and light", more: "", act: toggleTheme },
    { title: `Screen reader in terminals: turn ${isReadAloud.value ? "off" : "on"}`, more: "", act: toggleReadAloud },
    { title: "Keys", more: "?", act: () => (overlay.value = "keys") },
  ];
}

function others(): Item[] {
  return [...sessions.value.values()].map((each) => ({
    title: titleOf(each),
    more: each.name === null ? each.session_id : commandOf(each.argv),
    act: () => {
      selectedId.value = each.session_id;
    },
  }));
}
