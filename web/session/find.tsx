/** Find in the terminal. */
import { signal, useSignal } from "@preact/signals";
import type { SearchAddon } from "@xterm/addon-search";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../state/theme.ts";
import { Icon } from "../parts/icon.tsx";
import { currentScreen } from "./current-screen.ts";

/**
 * The border marks the active match: the terminal paints a selected match in the selection colour,
 * whatever is set here.
 */
const FOUND = {
  dark: { matchOverviewRuler: "#4fd1c5", activeMatchColorOverviewRuler: "#e3b860", matchBackground: "#2a4a50", activeMatchBackground: "#8a5a00", activeMatchBorder: "#e3b860" },
  light: { matchOverviewRuler: "#0c7c73", activeMatchColorOverviewRuler: "#8a5a00", matchBackground: "#bfe3df", activeMatchBackground: "#f5d07e", activeMatchBorder: "#8a5a00" },
};

export const isFinding = signal(false);

export function Find() {
  const input = useRef<HTMLInputElement>(null);
  /** Null: no search. */
  const found = useSignal<{ at: number; of: number } | null>(null);
  const listener = useRef<{ search: SearchAddon; end: () => void } | null>(null);
  useEffect(() => {
    input.current?.focus();
    return () => listener.current?.end();
  }, []);
  /** The terminal may appear, or be replaced, after this component. */
  const listenTo = (search: SearchAddon): void => {
    if (listener.current?.search === search) return;
    listener.current?.end();
    const subscription = search.onDidChangeResults(({ resultIndex, resultCount }) => {
      found.value = input.current?.value ? { at: resultIndex + 1, of: resultCount } : null;
    });
    listener.current = { search, end: () => subscription.dispose() };
  };
  const find = (direction: "next" | "previous", incremental = false): void => {
    const text = input.current?.value ?? "";
    const search = currentScreen()?.search;
    if (search === undefined) return;
    listenTo(search);
    const options = { decorations: FOUND[theme.peek()], incremental };
    if (text === "") search.clearDecorations();
    else if (direction === "next") search.findNext(text, options);
    else search.findPrevious(text, options);
    if (text === "") found.value = null;
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
        onInput={() => find("next", true)}
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
      {found.value === null ? null : <span role="status">{resultText(found.value)}</span>}
      <button type="button" class="quiet square" aria-label="Close" onClick={close}>
        <Icon name="close" />
      </button>
    </form>
  );
}

/** Over a thousand matches, the addon does not report the active one. */
function resultText({ at, of }: { at: number; of: number }): string {
  if (of === 0) return "not found";
  return at === 0 ? `${of} found` : `${at} of ${of}`;
}
