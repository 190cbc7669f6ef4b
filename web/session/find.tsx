import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../state/theme.ts";
import { Icon } from "../parts/icon.tsx";
import { currentScreen } from "./current-screen.ts";

const FOUND = {
  dark: { matchOverviewRuler: "#4fd1c5", activeMatchColorOverviewRuler: "#e3b860", matchBackground: "#2a4a50", activeMatchBackground: "#8a5a00" },
  light: { matchOverviewRuler: "#0c7c73", activeMatchColorOverviewRuler: "#8a5a00", matchBackground: "#bfe3df", activeMatchBackground: "#f5d07e" },
};

export const isFinding = signal(false);

export function Find() {
  const input = useRef<HTMLInputElement>(null);
  const isMissing = useSignal(false);
  useEffect(() => input.current?.focus(), []);
  const find = (direction: "next" | "previous"): void => {
    const text = input.current?.value ?? "";
    const search = currentScreen()?.search;
    if (text === "" || search === undefined) return;
    const options = { decorations: FOUND[theme.peek()] };
    isMissing.value = !(direction === "next" ? search.findNext(text, options) : search.findPrevious(text, options));
  };
  const close = (): void => {
    currentScreen()?.search.clearDecorations();
    currentScreen()?.terminal.focus();
    isFinding.value = false;
  };
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        find("next");
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label="Find in the terminal"
        placeholder="Find"
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
          else if (event.key === "Enter" && event.shiftKey) {
            event.preventDefault();
            find("previous");
          }
        }}
      />
      <button type="button" class="quiet square" aria-label="Previous" onClick={() => find("previous")}>
        <Icon name="up" />
      </button>
      <button type="submit" class="quiet square" aria-label="Next">
        <Icon name="down" />
      </button>
      {isMissing.value ? <span role="status">not found</span> : null}
      <button type="button" class="quiet square" aria-label="Close" onClick={close}>
        <Icon name="close" />
      </button>
    </form>
  );
}
