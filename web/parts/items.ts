/** What can be done with a session: in the menu of its bar, and in the palette. */
import { isFinding } from "../session/find.tsx";
import { cleanText, currentScreen } from "../session/current-screen.ts";
import { copy, remove } from "../state/actions.ts";
import { fit, fitted, isDriver, isLive, isOwner, isSmall, overlay, type Session, titleOf } from "../state/app.ts";
import { tellsCommands } from "../state/shell.ts";
import { tellError } from "../state/toast.ts";
import { download } from "./download.ts";

export interface Item {
  title: string;
  more: string;
  act: () => void;
}

export function itemsOf(session: Session): Item[] {
  const isTerminal = session.transport_mode !== "pipe";
  return [...(isTerminal ? [...looking(), ...fitting(session)] : []), ...knowing(session), ...downloads(session), ...(isOwner.value ? changing(session) : [])];
}

function looking(): Item[] {
  return [
    { title: "Find in the terminal", more: "Ctrl/Cmd Shift F", act: () => (isFinding.value = true) },
    {
      title: "Copy clean text",
      more: "what is selected, or all of it",
      act: () => {
        const screen = currentScreen();
        if (screen !== null) void copy(cleanText(screen), "Text");
      },
    },
  ];
}

/** A desktop always has a say. */
function fitting(session: Session): Item[] {
  const { session_id: id } = session;
  if (!isSmall() || !isDriver.value || !isLive(session)) return [];
  return fitted.value.has(id)
    ? [{ title: "Leave its size to others", more: "and see all of it", act: () => fit(id, false) }]
    : [{ title: "Fit to this screen", more: "for everybody, while you look", act: () => fit(id, true) }];
}

function knowing(session: Session): Item[] {
  const commands = { title: "Commands", more: "what was run in this shell", act: () => (overlay.value = "commands") };
  return [
    { title: "Details", more: "usage, events, environment", act: () => (overlay.value = "details") },
    ...(tellsCommands(session) ? [commands] : []),
  ];
}

export function downloads({ session_id: id }: Session): Item[] {
  const item = (title: string, form: Parameters<typeof download>[1], more: string): Item => ({
    title: `Download ${title}`,
    more,
    act: () => void download(id, form).catch(tellError),
  });
  return [
    item("raw", "raw", "every byte"),
    ...(isOwner.value ? [item("text", "text", "without escape sequences"), item("asciicast", "asciicast", "to play elsewhere")] : []),
  ];
}

function changing(session: Session): Item[] {
  const name = titleOf(session);
  return [
    { title: "Share", more: "a link for somebody else", act: () => (overlay.value = "share") },
    { title: "Rename", more: name, act: () => (overlay.value = "rename") },
    ...(isLive(session)
      ? [{ title: "Stop or kill", more: name, act: () => (overlay.value = "stop") }]
      : [{ title: "Remove", more: `${name} and what it printed`, act: () => remove(session) }]),
  ];
}
