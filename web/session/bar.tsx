/** Above the terminal: what this is, and what can be done with it. */
import { StateSign } from "../list/state-sign.tsx";
import { itemsOf } from "../parts/items.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { activities, commandOf, isDriver, isLive, isOwner, isPhone, isRailOpen, overlay, selectedId, type Session, title, titleOf } from "../state/app.ts";
import { tellsCommands } from "../state/shell.ts";

export function Bar({ session }: { session: Session }) {
  const clients = activities.value.get(session.session_id)?.clients ?? 0;
  const command = commandOf(session.argv);
  // What it calls itself says more than how it was started.
  const says = title.value !== "" && title.value !== session.name ? title.value : session.name === null ? "" : command;
  return (
    <header class="bar">
      {isOwner.value ? <Back /> : null}
      <h2 title={command}>{titleOf(session)}</h2>
      {says === "" ? null : (
        <span class="command" title={says}>
          {says}
        </span>
      )}
      <StateSign session={session} withWord />
      <span class="space" />
      {isDriver.value ? null : <span class="badge">watching</span>}
      {clients > 1 ? <span class="badge">{clients} here</span> : null}
      {tellsCommands(session) ? <Open what="commands" label="Commands" /> : null}
      {isOwner.value ? <Open what="share" label="Share" /> : null}
      <Open what="details" label="Details" />
      {isOwner.value && isLive(session) ? <Open what="stop" label="Stop" /> : null}
      <Menu id="session-menu" label="More" items={itemsOf(session)} />
    </header>
  );
}

function Open({ what, label }: { what: "commands" | "share" | "details" | "stop"; label: string }) {
  return (
    <button type="button" class="quiet wide" onClick={() => (overlay.value = overlay.value === what ? "none" : what)}>
      {label}
    </button>
  );
}

function Back() {
  return (
    <button
      type="button"
      class="quiet square back"
      aria-label="Sessions"
      onClick={() => {
        isRailOpen.value = true;
        if (isPhone()) selectedId.value = null;
      }}
    >
      <Icon name="panel" />
    </button>
  );
}
