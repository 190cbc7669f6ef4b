/** The bar above the terminal: title, state and actions of the session. */
import { StateSign } from "../list/state-sign.tsx";
import { menuItems } from "../parts/menu-items.ts";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import { activities, commandOf, isDriver, isLive, isOwner, isPhone, isRailOpen, overlay, selectedId, type Session, title, titleOf } from "../state/app.ts";
import { hasShellCommands } from "../state/shell.ts";

export function Bar({ session }: { session: Session }) {
  const clients = activities.value.get(session.session_id)?.clients ?? 0;
  const command = commandOf(session.argv);
  // The program's own title says more than its command.
  const subtitle = title.value !== "" && title.value !== session.name ? title.value : session.name === null ? "" : command;
  return (
    <header class="bar">
      {isOwner.value ? <ListButton /> : null}
      <h2 title={command}>{titleOf(session)}</h2>
      {subtitle === "" ? null : (
        <span class="command" title={subtitle}>
          {subtitle}
        </span>
      )}
      <StateSign session={session} withWord />
      <span class="space" />
      {isDriver.value ? null : <span class="badge">watching</span>}
      {clients > 1 ? <span class="badge">{clients} here</span> : null}
      {hasShellCommands(session) ? <OverlayButton what="commands" label="Commands" /> : null}
      {isOwner.value ? <OverlayButton what="share" label="Share" /> : null}
      <OverlayButton what="details" label="Details" />
      {isOwner.value && isLive(session) ? <OverlayButton what="stop" label="Stop" /> : null}
      <Menu id="session-menu" label="More" items={menuItems(session)} />
    </header>
  );
}

function OverlayButton({ what, label }: { what: "commands" | "share" | "details" | "stop"; label: string }) {
  return (
    <button type="button" class="quiet wide" onClick={() => (overlay.value = overlay.value === what ? "none" : what)}>
      {label}
    </button>
  );
}

function ListButton() {
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
