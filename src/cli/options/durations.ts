import { formatAge, MAX_DURATION_MS, parseDuration } from "../../protocol/types/duration.ts";
import { HoltError } from "../../protocol/types/errors.ts";

export interface DurationBounds {
  leastMs?: number;
  /** The daemon's own bound, where it has the last word. */
  mostMs?: number;
}

/** Of an option that takes one; null when it was not given. */
export function durationOf(
  option: string,
  text: string | null,
  { leastMs = 1, mostMs = MAX_DURATION_MS }: DurationBounds = {},
): number | null {
  if (text === null) return null;
  const ms = parseDuration(text);
  if (ms !== null && ms >= leastMs && ms <= mostMs) return ms;
  const kind = leastMs > 0 ? "a positive duration" : "a duration";
  throw new HoltError("EBADARGS", `invalid --${option} "${text}"`, {
    hint: ms !== null && ms > mostMs ? `use at most ${formatAge(mostMs)}` : `use ${kind}, e.g. 500ms, 90s, 1h30m`,
  });
}
