/** Actions on a session, for the menu of its bar and the palette. */
import { isFinding } from "../session/find.tsx";
import { cleanText, currentScreen } from "../session/current-screen.ts";
import { copy, remove } from "../state/actions.ts";
import { fit, fittedIds, isDriver, isLive, isOwner, isSmallScreen, overlay, type Session, titleOf } from "../state/app.ts";
import { hasShellCommands } from "../state/shell.ts";
import { notifyError } from "../state/toast.ts";
import { download } from "./download.ts";

export interface Item {
  title: string;
  more: string;
  act: () => void;
}

export function menuItems(session: Session): Item[] {
  const isTerminal = session.transport_mode !== "pipe";
  return [...(isTerminal ? [...viewItems(), ...sizeItems(session)] : []), ...infoItems(session), ...downloadItems(session), ...(isOwner.value ? editItems(session) : [])];
}

function viewItems(): Item[] {
  return [
    { title: "Find in the terminal", more: "Ctrl/Cmd Shift F", act: () => (isFinding.value = true) },
    {
      title: "Copy clean text",
      more: "the selection, or everything",
      act: () => {
        const screen = currentScreen();
        if (screen !== null) void copy(cleanText(screen), "Text");
      },
    },
  ];
}

/** Only for small screens: a large one always takes part in the size. */
function sizeItems(session: Session): Item[] {
  const { session_id: id } = session;
  if (!isSmallScreen() || !isDriver.value || !isLive(session)) return [];
  return fittedIds.value.has(id)
    ? [{ title: "Leave the size to other clients", more: "and see the whole screen", act: () => fit(id, false) }]
    : [{ title: "Fit to this screen", more: "for all clients, while you watch", act: () => fit(id, true) }];
}

function infoItems(session: Session): Item[] {
  const commands = { title: "Commands", more: "commands of this shell", act: () => (overlay.value = "commands") };
  return [
    { title: "Details", more: "usage, events, environment", act: () => (overlay.value = "details") },
    ...(hasShellCommands(session) ? [commands] : []),
  ];
}

export function downloadItems({ session_id: id }: Session): Item[] {
  const item = (title: string, form: Parameters<typeof download>[1], more: string): Item => ({
    title: `Download ${title}`,
    more,
    act: () => void download(id, form).catch(notifyError),
  });
  return [
    item("raw", "raw", "every byte"),
    ...(isOwner.value ? [item("text", "text", "without escape sequences"), item("asciicast", "asciicast", "a recording to play elsewhere")] : []),
  ];
}

function editItems(session: Session): Item[] {
  const name = titleOf(session);
  return [
    { title: "Share", more: "a link for another person", act: () => (overlay.value = "share") },
    { title: "Rename", more: name, act: () => (overlay.value = "rename") },
    ...(isLive(session)
      ? [{ title: "Stop or kill", more: name, act: () => (overlay.value = "stop") }]
      : [{ title: "Remove", more: `${name} and its output`, act: () => remove(session) }]),
  ];
}
