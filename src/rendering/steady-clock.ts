/**
 * Corrects a session's timestamps for changes of the system clock, which the holder records as
 * `clock_set` events.
 */
import type { SessionEvent } from "../transcript/write/events.ts";

interface ClockSet {
  /** The first cursor that the change applies to. */
  cursor: number;
  /** Sum of all changes since the session began, in milliseconds. */
  shift: number;
}

export class SteadyClock {
  readonly #changes: readonly ClockSet[];

  constructor(events: readonly SessionEvent[]) {
    this.#changes = events.flatMap((event): ClockSet[] => {
      const shift = clockShift(event);
      const { cursor } = event;
      return shift === null || typeof cursor !== "number" ? [] : [{ cursor, shift }];
    });
  }

  /** The corrected time of output at a cursor, in milliseconds since 1970. */
  time(timestamp: number, cursor: number): number {
    return timestamp - (this.#changes.findLast((set) => set.cursor <= cursor)?.shift ?? 0);
  }
}

/** Null for other events. */
export function clockShift({ type, shift_ms: shift }: SessionEvent): number | null {
  return type === "clock_set" && typeof shift === "number" ? shift : null;
}
