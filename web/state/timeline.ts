/** The life of the session that is shown, for the line below it and for its details: looked at again while it lives. */
import { effect, signal } from "@preact/signals";
import type { Result } from "../api/rpc.ts";
import { isLive, rpc, selected, selectedId } from "./app.ts";

export type Timeline = Result<"session.timeline">;
export type Mark = Timeline["marks"][number];

export const BUCKETS = 300;
const LOOK_MS = 2000;

export const timeline = signal<{ id: string; line: Timeline } | null>(null);

export function followTimeline(): void {
  const look = async (): Promise<void> => {
    const id = selectedId.peek();
    if (id === null || rpc.peek()?.line.peek() !== "online") return;
    const line = await rpc.peek()?.call("session.timeline", { session_id: id, buckets: BUCKETS }).catch(() => undefined);
    if (line !== undefined && selectedId.peek() === id) timeline.value = { id, line };
  };
  effect(() => {
    // Whenever another is shown, or this one ends.
    if (selected.value !== null && selected.value.state !== "starting" && rpc.value?.line.value === "online") void look();
  });
  setInterval(() => {
    const session = selected.peek();
    if (session !== null && isLive(session) && document.visibilityState === "visible") void look();
  }, LOOK_MS);
}
