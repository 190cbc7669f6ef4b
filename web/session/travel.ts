/** Along the life of the session that is shown. */
import { moment } from "../state/app.ts";
import { timeline } from "../state/timeline.ts";
import type { Along } from "./along.ts";
import { isPlaying } from "./playing.ts";

/** Null: to now. */
export function travel(cursor: number | null): void {
  const known = timeline.peek();
  isPlaying.value = false;
  moment.value = cursor === null || known === null ? null : { id: known.id, cursor: Math.max(0, Math.min(Number(known.line.end), cursor)) };
}

/** To a place on the line, where it stays: what is shown there is what was printed last before it. */
export function travelAlong(along: Along, place: number): void {
  travel(along.cursorAt(place));
  const there = moment.peek();
  if (there !== null) moment.value = { ...there, at: along.timeAt(place) };
}

export function togglePlay(): void {
  const known = timeline.peek();
  if (known === null) return;
  if (!isPlaying.peek() && moment.peek() === null) moment.value = { id: known.id, cursor: 0 };
  isPlaying.value = !isPlaying.peek();
}

/** To where the next command was started, or the one before. */
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
