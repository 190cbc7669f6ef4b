import type { SessionEvent } from "../transcript/events.ts";

export interface Resize {
  /** What was printed from here on was printed on a screen of that size. */
  cursor: number;
  cols: number;
  rows: number;
}

/** In the order in which they came. */
export function resizesIn(events: readonly SessionEvent[]): Resize[] {
  return events.flatMap(({ type, cursor, cols, rows }) =>
    type === "resize" && typeof cursor === "number" && typeof cols === "number" && typeof rows === "number"
      ? [{ cursor, cols, rows }]
      : [],
  );
}
