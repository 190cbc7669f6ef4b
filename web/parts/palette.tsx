/** The palette: finds sessions and actions by name. */
import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { closeOverlay, Dialog } from "./dialog.tsx";
import { commandOf, isOwner, isRailOpen, overlay, selected, selectedId, sessions, titleOf } from "../state/app.ts";
import { isScreenReaderOn, toggleScreenReader } from "../state/screen-reader.ts";
import { toggleTheme } from "../state/theme.ts";
import { type Item, menuItems } from "./menu-items.ts";

export function Palette() {
  const query = useSignal("");
  const at = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  const items = useComputed(() => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    return paletteItems().filter(({ title, more }) => words.every((word) => `${title} ${more}`.toLowerCase().includes(word)));
  });
  const run = (item: Item | undefined): void => {
    closeOverlay();
    item?.act();
  };
  const move = (by: number): void => {
    at.value = Math.max(0, Math.min(items.value.length - 1, at.value + by));
    list.current?.children[at.value]?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Dialog title="Everything" look="top">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`item-${at.value}`}
        aria-label="Sessions and actions"
        placeholder="Find a session or an action"
        autofocus
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Enter") run(items.value[at.value]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" ref={list} aria-label="Found">
        {items.value.map((item, number) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keys
          <li key={`${item.title} ${number}`} id={`item-${number}`} role="option" aria-selected={number === at.value} onClick={() => run(item)}>
            <span>{item.title}</span>
            <span class="more">{item.more}</span>
          </li>
        ))}
        {items.value.length === 0 ? <li class="note">No match.</li> : null}
      </ul>
    </Dialog>
  );
}

function paletteItems(): Item[] {
  const session = selected.value;
  return [...(session === null ? [] : menuItems(session)), ...pageItems(), ...sessionItems()];
}

function pageItems(): Item[] {
  return [
    ...(isOwner.value ? [{ title: "New session", more: "n", act: () => (overlay.value = "start") }] : []),
    { title: isRailOpen.value ? "Hide the list" : "Show the list", more: "b", act: () => (isRailOpen.value = !isRailOpen.value) },
    { title: "Switch dark and light", more: "", act: toggleTheme },
    { title: `Screen reader in terminals: turn ${isScreenReaderOn.value ? "off" : "on"}`, more: "", act: toggleScreenReader },
    { title: "Keys", more: "?", act: () => (overlay.value = "keys") },
  ];
}

function sessionItems(): Item[] {
  return [...sessions.value.values()].map((each) => ({
    title: titleOf(each),
    more: each.name === null ? each.session_id : commandOf(each.argv),
    act: () => {
      selectedId.value = each.session_id;
    },
  }));
}
