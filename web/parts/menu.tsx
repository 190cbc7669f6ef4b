/** A button with a menu. Arrow keys move; Escape or a click beside it closes it. */
import { useRef } from "preact/hooks";
import { currentScreen } from "../session/current-screen.ts";
import { Icon } from "./icon.tsx";
import type { Item } from "./menu-items.ts";

export function Menu({ id, label, items }: { id: string; label: string; items: readonly Item[] }) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = (): HTMLButtonElement[] => [...(list.current?.querySelectorAll("button") ?? [])];
  const move = (by: number): void => {
    const all = buttons();
    const at = all.findIndex((each) => each === document.activeElement);
    all.at((at + by) % all.length)?.focus();
  };
  return (
    <>
      <button type="button" class="quiet square" popovertarget={id} aria-haspopup="menu" aria-label={label}>
        <Icon name="more" />
      </button>
      <div
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        ref={list}
        onToggle={(event) => {
          if (event.newState === "open") buttons()[0]?.focus();
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else return;
          event.preventDefault();
        }}
      >
        {items.map(({ title, more, act }) => (
          <button
            type="button"
            role="menuitem"
            key={title}
            onClick={() => {
              list.current?.hidePopover();
              currentScreen()?.terminal.focus();
              act();
            }}
          >
            <span>{title}</span>
            <span class="more">{more}</span>
          </button>
        ))}
      </div>
    </>
  );
}
