/**
 * A dialog over the page, closed by Escape or its button. A dialog at the side leaves the terminal
 * usable; the others take the focus, and a click beside them closes them.
 */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isPhone, overlay } from "../state/app.ts";
import { currentScreen } from "../session/current-screen.ts";
import { Icon } from "./icon.tsx";

export function closeOverlay(): void {
  overlay.value = "none";
  currentScreen()?.terminal.focus();
}

/** On a phone the result lies behind the dialog. */
export function closeOnPhone(): void {
  if (isPhone()) closeOverlay();
}

export function Dialog({ title, look, children }: { title: string; look: "centre" | "side" | "top"; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  // In a layout effect: the next key press must reach the dialog.
  useLayoutEffect(() => {
    if (look === "side") box.current?.show();
    else box.current?.showModal();
    return () => box.current?.close();
  }, []);
  return (
    <dialog
      ref={box}
      class={look}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        closeOverlay();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        closeOverlay();
      }}
      onPointerDown={(event) => {
        if (event.target === box.current && look !== "side") closeOverlay();
      }}
    >
      <div class="inside">
        {look === "top" ? null : (
          <header>
            <h2>{title}</h2>
            <button type="button" class="quiet square" aria-label="Close" onClick={closeOverlay}>
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
