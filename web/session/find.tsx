import { signal, useSignal } from "@preact/signals";
import type { SearchAddon } from "@xterm/addon-search";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../state/theme.ts";
import { Icon } from "../parts/icon.tsx";
import { currentScreen } from "./current-screen.ts";

/** Which of them it is at is told by a border: the terminal draws what is selected in the selection's colour, whatever is asked for. */
const FOUND = {
  dark: { matchOverviewRuler: "#4fd1c5", activeMatchColorOverviewRuler: "#e3b860", matchBackground: "#2a4a50", activeMatchBackground: "#8a5a00", activeMatchBorder: "#e3b860" },
  light: { matchOverviewRuler: "#0c7c73", activeMatchColorOverviewRuler: "#8a5a00", matchBackground: "#bfe3df", activeMatchBackground: "#f5d07e", activeMatchBorder: "#8a5a00" },
};

export const isFinding = signal(false);

export function Find() {
  const input = useRef<HTMLInputElement>(null);
  /** Null: nothing is looked for. */
  const found = useSignal<{ at: number; of: number } | null>(null);
  const heard = useRef<{ search: SearchAddon; end: () => void } | null>(null);
  useEffect(() => {
    input.current?.focus();
    return () => heard.current?.end();
  }, []);
  /** The terminal may come after this, and another in its place. */
  const hear = (search: SearchAddon): void => {
    if (heard.current?.search === search) return;
    heard.current?.end();
    const told = search.onDidChangeResults(({ resultIndex, resultCount }) => {
      found.value = input.current?.value ? { at: resultIndex + 1, of: resultCount } : null;
    });
    heard.current = { search, end: () => told.dispose() };
  };
  const find = (direction: "next" | "previous", incremental = false): void => {
    const text = input.current?.value ?? "";
    const search = currentScreen()?.search;
    if (search === undefined) return;
    hear(search);
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
      {found.value === null ? null : <span role="status">{toldOf(found.value)}</span>}
      <button type="button" class="quiet square" aria-label="Close" onClick={close}>
        <Icon name="close" />
      </button>
    </form>
  );
}

/** Of more than a thousand it is not told which. */
function toldOf({ at, of }: { at: number; of: number }): string {
  if (of === 0) return "not found";
  return at === 0 ? `${of} found` : `${at} of ${of}`;
}
