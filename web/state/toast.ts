/** Messages about actions and errors, with an undo where possible. */
import { signal } from "@preact/signals";
import { CallError } from "../api/rpc.ts";

export interface Toast {
  id: number;
  text: string;
  hint: string | null;
  look: "plain" | "bad";
  /** Null if it cannot be undone. */
  undo: (() => void) | null;
}

export const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 6000;
/** Actions to run when their message disappears. */
const pending = new Map<number, () => void>();
let next = 0;

export function notify(text: string, more: Partial<Pick<Toast, "hint" | "look" | "undo">> = {}): number {
  const id = ++next;
  for (const { id: old } of toasts.value.slice(0, -3)) dismiss(old);
  toasts.value = [...toasts.value, { id, text, hint: null, look: "plain", undo: null, ...more }];
  setTimeout(() => dismiss(id), SHOWN_MS);
  return id;
}

export function dismiss(id: number): void {
  const act = pending.get(id);
  pending.delete(id);
  act?.();
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function notifyError(error: unknown): void {
  if (error instanceof CallError) notify(error.message, { hint: error.hint, look: "bad" });
  else notify(error instanceof Error ? error.message : String(error), { look: "bad" });
}

// A closed page can undo nothing: run the actions now.
addEventListener("pagehide", () => {
  for (const id of pending.keys()) dismiss(id);
});

/** Runs the action when the time to undo is over or the message is dismissed. */
export function doAfterUndoTime(text: string, { act, undo }: { act: () => void; undo: () => void }): void {
  const id = notify(text, {
    undo: () => {
      pending.delete(id);
      undo();
      dismiss(id);
    },
  });
  pending.set(id, act);
}
