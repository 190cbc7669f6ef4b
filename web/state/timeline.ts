/** The timeline of the shown session, polled while it lives. */
import { effect, signal } from "@preact/signals";
import type { Result } from "../api/rpc.ts";
import { isLive, rpc, selected, selectedId } from "./app.ts";

export type Timeline = Result<"session.timeline">;
export type Mark = Timeline["marks"][number];

export const BUCKETS = 300;
const LOOK_MS = 2000;

export const timeline = signal<{ id: string; line: Timeline } | null>(null);

export function watchTimeline(): void {
  const poll = async (): Promise<void> => {
    const id = selectedId.peek();
    if (id === null || rpc.peek()?.status.peek() !== "online") return;
    const line = await rpc.peek()?.call("session.timeline", { session_id: id, buckets: BUCKETS }).catch(() => undefined);
    if (line !== undefined && selectedId.peek() === id) timeline.value = { id, line };
  };
  effect(() => {
    // After another session is selected, or this one ends.
    if (selected.value !== null && selected.value.state !== "starting" && rpc.value?.status.value === "online") void poll();
  });
  setInterval(() => {
    const session = selected.peek();
    if (session !== null && isLive(session) && document.visibilityState === "visible") void poll();
  }, LOOK_MS);
}
