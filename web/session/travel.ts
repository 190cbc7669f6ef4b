/** Moves through the past of the shown session. */
import { moment } from "../state/app.ts";
import { timeline } from "../state/timeline.ts";
import type { TimelineScale } from "./timeline-scale.ts";
import { isPlaying } from "./playback.ts";

/** Shows the screen at a cursor; null: the live one. */
export function travel(cursor: number | null): void {
  const known = timeline.peek();
  isPlaying.value = false;
  moment.value = cursor === null || known === null ? null : { id: known.id, cursor: Math.max(0, Math.min(Number(known.line.end), cursor)) };
}

/**
 * Shows a position of the timeline and keeps it: the screen is that of the last output before it.
 */
export function travelAlong(scale: TimelineScale, place: number): void {
  travel(scale.cursorAt(place));
  const there = moment.peek();
  if (there !== null) moment.value = { ...there, at: scale.timeAt(place) };
}

export function togglePlay(): void {
  const known = timeline.peek();
  if (known === null) return;
  if (!isPlaying.peek() && moment.peek() === null) moment.value = { id: known.id, cursor: 0 };
  isPlaying.value = !isPlaying.peek();
}

/** Moves to the start of the next or the previous command. */
export function step(direction: 1 | -1): void {
  const commands = commandCursors();
  const now = moment.peek()?.cursor ?? Number.POSITIVE_INFINITY;
  const next = direction === 1 ? commands.find((at) => at > now) : commands.findLast((at) => at < now);
  travel(next ?? (direction === 1 ? null : 0));
}

export function commandCursors(): number[] {
  const marks = timeline.value?.line.marks ?? [];
  return marks.flatMap(({ kind, cursor }) => (kind === "command" && cursor !== null ? [Number(cursor)] : []));
}
