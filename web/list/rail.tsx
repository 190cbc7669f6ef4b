/** The sessions, at the left: what waits, what runs, what has ended; and what was found in all that they printed. */
import { useComputed, useSignal } from "@preact/signals";
import { Mark } from "../parts/mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { activities, filter, hidden, isLoaded, isOwner, isRailOpen, overlay, rpc, sessions } from "../state/app.ts";
import { toggleTheme, theme } from "../state/theme.ts";
import { tellError } from "../state/toast.ts";
import { Empty } from "./empty.tsx";
import { grouped } from "./groups.ts";
import { type Hit, Hits } from "./hits.tsx";
import { Row } from "./row.tsx";

export function Rail() {
  const groups = useComputed(() => grouped(sessions.value.values(), activities.value, { filter: filter.value, hidden: hidden.value }));
  const hits = useSignal<readonly Hit[] | null>(null);
  const isSearching = useSignal(false);
  const search = async (): Promise<void> => {
    const query = filter.value.trim();
    if (query === "") return;
    isSearching.value = true;
    try {
      hits.value = (await rpc.value?.call("session.search", { query, ignore_case: true, limit: 50 }))?.hits ?? [];
    } catch (error) {
      tellError(error);
    } finally {
      isSearching.value = false;
    }
  };
  return (
    <nav class="rail" aria-label="Sessions">
      <header>
        <h1>
          <Mark />
          holt
        </h1>
        <button type="button" class="quiet square" onClick={toggleTheme} aria-label={`Use the ${theme.value === "dark" ? "light" : "dark"} theme`}>
          <Icon name={theme.value === "dark" ? "sun" : "moon"} />
        </button>
        <button type="button" class="quiet square" onClick={() => (overlay.value = "keys")} aria-label="Keys">
          <Icon name="help" />
        </button>
        <button type="button" class="quiet square collapse" onClick={() => (isRailOpen.value = false)} aria-label="Hide the list">
          <Icon name="panel" />
        </button>
        {isOwner.value ? (
          <button type="button" class="accent" onClick={() => (overlay.value = "start")}>
            New
          </button>
        ) : null}
      </header>
      <form
        class="filter"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <input
          id="filter"
          type="search"
          placeholder="Filter, or Enter to search all output"
          aria-label="Filter sessions; Enter searches what they printed"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
            hits.value = null;
          }}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".hit, .row")?.focus();
            else if (event.key === "Escape") {
              filter.value = "";
              hits.value = null;
            } else return;
            event.preventDefault();
          }}
        />
      </form>
      <div class="list">
        {hits.value === null ? null : <Hits hits={hits.value} query={filter.value} />}
        {isSearching.value ? <p class="note">Searching all that was printed…</p> : null}
        {!isLoaded.value ? <p class="note">Looking…</p> : null}
        {isLoaded.value && sessions.value.size === 0 ? <Empty /> : null}
        {isLoaded.value && sessions.value.size > 0 && groups.value.length === 0 && hits.value === null ? (
          <p class="note">Nothing is called that. Enter searches what was printed.</p>
        ) : null}
        {groups.value.map(({ title, sessions: all }) => (
          <section key={title} aria-label={title}>
            <h2>
              {title} <span class="count">{all.length}</span>
            </h2>
            {all.map((session) => (
              <Row key={session.session_id} session={session} />
            ))}
          </section>
        ))}
      </div>
    </nav>
  );
}
