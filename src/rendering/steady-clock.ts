/** A session's times without the changes of its machine's clock: the holder records each change as an event (`clock_set`). */
import type { SessionEvent } from "../transcript/write/events.ts";

interface ClockSet {
  /** The first cursor that the change applies to. */
  cursor: number;
  /** Milliseconds since the session began, all together. */
  shift: number;
}

export class SteadyClock {
  readonly #sets: readonly ClockSet[];

  constructor(events: readonly SessionEvent[]) {
    this.#sets = events.flatMap((event): ClockSet[] => {
      const shift = clockShift(event);
      const { cursor } = event;
      return shift === null || typeof cursor !== "number" ? [] : [{ cursor, shift }];
    });
  }

  /** The time of output at that cursor, in milliseconds since 1970. */
  time(timestamp: number, cursor: number): number {
    return timestamp - (this.#sets.findLast((set) => set.cursor <= cursor)?.shift ?? 0);
  }
}

/** Null when it says nothing of the clock. */
export function clockShift({ type, shift_ms: shift }: SessionEvent): number | null {
  return type === "clock_set" && typeof shift === "number" ? shift : null;
}
