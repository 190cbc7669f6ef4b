/** What was done, what went wrong, and what can still be taken back. */
import { signal } from "@preact/signals";
import { CallError } from "../api/rpc.ts";

export interface Toast {
  id: number;
  text: string;
  hint: string | null;
  look: "plain" | "bad";
  /** Null where there is nothing to take back. */
  undo: (() => void) | null;
}

export const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 6000;
/** What is done when its message goes. */
const pending = new Map<number, () => void>();
let next = 0;

export function tell(text: string, more: Partial<Pick<Toast, "hint" | "look" | "undo">> = {}): number {
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

export function tellError(error: unknown): void {
  if (error instanceof CallError) tell(error.message, { hint: error.hint, look: "bad" });
  else tell(error instanceof Error ? error.message : String(error), { look: "bad" });
}

// A page that is closed takes nothing back any more.
addEventListener("pagehide", () => {
  for (const id of pending.keys()) dismiss(id);
});

/** Done once nobody has taken it back in time, or somebody has put the message away. */
export function soon(text: string, { act, undo }: { act: () => void; undo: () => void }): void {
  const id = tell(text, {
    undo: () => {
      pending.delete(id);
      undo();
      dismiss(id);
    },
  });
  pending.set(id, act);
}
