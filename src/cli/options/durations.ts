/** Parses options that take a duration. */
import { formatAge, MAX_DURATION_MS, parseDuration } from "../../protocol/types/duration.ts";
import { HoltError } from "../../protocol/types/errors.ts";

export interface DurationBounds {
  leastMs?: number;
  mostMs?: number;
}

/** Null when the option was not given. */
export function durationOf(
  option: string,
  text: string | null,
  { leastMs = 1, mostMs = MAX_DURATION_MS }: DurationBounds = {},
): number | null {
  if (text === null) return null;
  const ms = parseDuration(text);
  if (ms !== null && ms >= leastMs && ms <= mostMs) return ms;
  const kind = leastMs > 0 ? "a positive duration" : "a duration";
  throw new HoltError("EBADARGS", `invalid --${option}: "${text}"`, {
    hint: ms !== null && ms > mostMs ? `use at most ${formatAge(mostMs)}` : `use ${kind}, e.g. 500ms, 90s, 1h30m`,
  });
}
