/** The list of sessions at the left, with filter and search. */
import { useComputed, useSignal } from "@preact/signals";
import { Logo } from "../parts/logo.tsx";
import { Icon } from "../parts/icon.tsx";
import { activities, filter, hidden, isLoaded, isOwner, isRailOpen, overlay, rpc, sessions } from "../state/app.ts";
import { toggleTheme, theme } from "../state/theme.ts";
import { notifyError } from "../state/toast.ts";
import { EmptyList } from "./empty-list.tsx";
import { groupSessions } from "./groups.ts";
import { type Hit, SearchHits } from "./search-hits.tsx";
import { Row } from "./row.tsx";

export function Rail() {
  const groups = useComputed(() => groupSessions(sessions.value.values(), activities.value, { filter: filter.value, hidden: hidden.value }));
  const hits = useSignal<readonly Hit[] | null>(null);
  const isSearching = useSignal(false);
  const search = async (): Promise<void> => {
    const query = filter.value.trim();
    if (query === "") return;
    isSearching.value = true;
    try {
      hits.value = (await rpc.value?.call("session.search", { query, ignore_case: true, limit: 50 }))?.hits ?? [];
    } catch (error) {
      notifyError(error);
    } finally {
      isSearching.value = false;
    }
  };
  return (
    <nav class="rail" aria-label="Sessions">
      <header>
        <h1>
          <Logo />
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
          aria-label="Filter sessions; Enter searches all output"
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
        {hits.value === null ? null : <SearchHits hits={hits.value} query={filter.value} />}
        {isSearching.value ? <p class="note">Searching all output…</p> : null}
        {!isLoaded.value ? <p class="note">Loading…</p> : null}
        {isLoaded.value && sessions.value.size === 0 ? <EmptyList /> : null}
        {isLoaded.value && sessions.value.size > 0 && groups.value.length === 0 && hits.value === null ? (
          <p class="note">No session matches. Enter searches all output.</p>
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
